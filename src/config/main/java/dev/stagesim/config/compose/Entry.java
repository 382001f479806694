package dev.stagesim.config.compose;

import dev.stagesim.config.compose.DefaultsNode.Kind;
import dev.stagesim.config.tree.Origin;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a defaults list during expansion: the name as written, the position in the tree, and the chosen option.
 *
 * <p>Paths and packages depend on the parent, so {@link #attach} must be called first.
 */
final class Entry {
    static final String SELF = "_self_";
    static final String GLOBAL = "_global_";
    static final String HERE = "_here_";
    static final String GROUP = "_group_";

    private final Kind kind;
    private String name;
    private @Nullable String option;
    private @Nullable List<String> optionList;
    private @Nullable String pkg;
    private @Nullable String header;
    private String parentGroup = "";
    private String parentPackage = "";

    boolean optional;
    boolean override;
    /** True for an override that applies only if the tree contains the group. */
    boolean conditional;

    boolean deleted;
    boolean appended;
    boolean primary;
    /** The override that chose the option, or null if the defaults list chose it. */
    @Nullable
    Choice choice;

    Origin where = Origin.UNKNOWN;

    private Entry(Kind kind, String name, @Nullable String pkg) {
        this.kind = kind;
        this.name = name;
        this.pkg = HERE.equals(pkg) ? "" : pkg;
    }

    static Entry config(String path, @Nullable String pkg) {
        return new Entry(Kind.CONFIG, path, pkg);
    }

    static Entry self() {
        return new Entry(Kind.SELF, SELF, null);
    }

    static Entry group(String group, @Nullable String option, @Nullable String pkg) {
        Entry entry = new Entry(Kind.GROUP, group, pkg);
        entry.option = option;
        return entry;
    }

    static Entry group(String group, List<String> options, @Nullable String pkg) {
        Entry entry = new Entry(Kind.GROUP, group, pkg);
        entry.optionList = List.copyOf(options);
        return entry;
    }

    /** Attaches the entry to a config with the given group and final package. */
    void attach(String group, String finalPackage) {
        parentGroup = group;
        parentPackage = finalPackage;
    }

    /** Replaces the {@code _group_} keyword in the package with the path of the group. */
    void expandGroup() {
        if (pkg != null) {
            pkg = GLOBAL + "." + pkg.replace(GROUP, dotted(groupPath()));
        }
    }

    /** Applies the package directive of the named file. Such a directive is absolute. */
    void header(Optional<String> directive) {
        header = directive.map(Entry::absolute).orElse(null);
    }

    private static String absolute(String directive) {
        if (directive.equals(GLOBAL) || directive.startsWith(GLOBAL + ".")) {
            return directive;
        }
        return directive.isEmpty() ? GLOBAL : GLOBAL + "." + directive;
    }

    void choose(Choice chosen) {
        choice = chosen;
        option = chosen.option();
        optionList = chosen.list();
    }

    /** Replaces the option or path with its interpolated value. */
    void resolved(@Nullable String text) {
        if (kind == Kind.GROUP) {
            option = text;
        } else {
            name = text == null ? "null" : text;
        }
    }

    Kind kind() {
        return kind;
    }

    boolean isGroup() {
        return kind == Kind.GROUP;
    }

    boolean isSelf() {
        return kind == Kind.SELF;
    }

    /** The group or path as written. */
    String name() {
        return name;
    }

    @Nullable
    String option() {
        return option;
    }

    @Nullable
    List<String> optionList() {
        return optionList;
    }

    @Nullable
    String pkg() {
        return pkg;
    }

    /** Returns the option or path that may contain interpolations. */
    @Nullable
    String interpolatedText() {
        return kind == Kind.GROUP ? option : configPath();
    }

    boolean isMissing() {
        if (kind == Kind.GROUP) {
            return "???".equals(option);
        }
        return name.substring(name.lastIndexOf('/') + 1).equals("???");
    }

    /** Returns true for a group without an option. */
    boolean hasNoOption() {
        return kind == Kind.GROUP && option == null && optionList == null;
    }

    private boolean absoluteName() {
        return name.startsWith("/");
    }

    private String bareName() {
        return absoluteName() ? name.substring(1) : name;
    }

    /** Returns the group part of the written name, without a leading slash. */
    private String relativeGroup() {
        String bare = bareName();
        return kind == Kind.GROUP ? bare : bare.substring(0, Math.max(0, bare.lastIndexOf('/')));
    }

    /** Returns the absolute path of the group for file lookups. */
    String groupPath() {
        String relative = relativeGroup();
        if (absoluteName() || parentGroup.isEmpty()) {
            return relative;
        }
        return relative.isEmpty() ? parentGroup : parentGroup + "/" + relative;
    }

    /** Returns the absolute path of the named config. */
    String configPath() {
        if (kind == Kind.GROUP) {
            return groupPath() + "/" + (option == null ? "null" : option);
        }
        if (absoluteName() || parentGroup.isEmpty()) {
            return bareName();
        }
        return parentGroup + "/" + bareName();
    }

    /** Returns the dotted path from the root for the content of the named config. */
    String finalPackage() {
        return place(pkg != null ? pkg : header);
    }

    private String place(@Nullable String own) {
        String relative = own == null ? dotted(relativeGroup()) : own;
        String full = parentPackage.isEmpty()
                ? relative
                : relative.isEmpty() ? parentPackage : parentPackage + "." + relative;
        int global = full.lastIndexOf(GLOBAL);
        if (global < 0) {
            return full;
        }
        return full.substring(Math.min(full.length(), global + GLOBAL.length() + 1));
    }

    /**
     * Returns the choice key, which overrides and deletions use. The package directive of the file does not change the
     * key.
     */
    String key() {
        String group = groupPath();
        String place = place(pkg);
        if (place.equals(dotted(group))) {
            return group;
        }
        return group + "@" + (place.isEmpty() ? GLOBAL : place);
    }

    private static String dotted(String group) {
        return group.replace('/', '.');
    }
}
