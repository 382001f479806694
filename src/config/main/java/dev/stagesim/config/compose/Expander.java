package dev.stagesim.config.compose;

import dev.stagesim.config.compose.source.Repository;
import dev.stagesim.config.hocon.ConfigFile;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Expands one defaults tree from its primary config.
 *
 * <p>Entries are expanded from last to first, so that an experiment at the end of a list can override the groups before
 * it. Among several choices for a key, the first one encountered wins; choices of the command line come first.
 */
final class Expander {
    private static final int MAX_DEPTH = 100;

    private final Repository repository;
    private final GroupOverrides overrides;
    private final DefaultsParser parser;
    private final Rules rules;
    private final boolean skipMissing;
    private final Optional<KnownKeys> schema;
    private final DeferredOption deferred;

    private final Findings findings;
    /** True if a choice without a config could have added further groups. */
    private boolean mayLackGroups;

    final KnownChoices known = new KnownChoices();
    final Map<String, Choice> choices;
    final Set<String> usedChoices = new LinkedHashSet<>();
    final Set<String> usedDeletions = new LinkedHashSet<>();
    /** Overrides that configs declare in this pass, by key. The first declaration of a key wins. */
    final Map<String, Choice> declared = new LinkedHashMap<>();
    /** Declared overrides that came after the expansion of their group. */
    final Map<String, Choice> late = new LinkedHashMap<>();

    final Set<ConfigFile> files = Collections.newSetFromMap(new java.util.IdentityHashMap<>());

    /**
     * Creates an expander for one pass.
     *
     * @param preset overrides that an earlier pass found too late; this pass applies them from the start
     */
    Expander(
            Repository repository,
            GroupOverrides overrides,
            Map<String, Choice> preset,
            Composer.Request request,
            Function<String, Optional<String>> environment) {
        this.repository = repository;
        this.overrides = overrides;
        this.rules = request.rules();
        this.skipMissing = request.skipMissing();
        this.schema = request.schema();
        this.findings = new Findings(rules.reportsAll());
        this.parser = new DefaultsParser(rules);
        this.deferred = new DeferredOption(rules, environment);
        this.choices = new LinkedHashMap<>(overrides.choices());
        preset.forEach(choices::putIfAbsent);
    }

    /** Expands a root of the tree. The groups that the command line appends are added to the primary config. */
    TreeNode root(String path, boolean primary) {
        Entry entry = Entry.config(path, null);
        entry.primary = primary;
        TreeNode node = new TreeNode(entry, null);
        entry.attach("", "");
        if (repository.load(path).isEmpty()) {
            throw Errors.primaryNotFound(path, repository);
        }
        expand(node, false);
        return node;
    }

    private void expand(TreeNode node, boolean inDeferred) {
        Entry entry = node.entry;
        if (rules.validatesDefaultsLists() && !entry.primary) {
            ConfigPaths.check(entry);
        }
        Optional<ConfigFile> file =
                entry.isMissing() || entry.hasNoOption() ? Optional.empty() : repository.load(entry.configPath());
        file.ifPresent(found -> entry.header(header(found)));
        List<Entry> parsed = file.map(parser::parse).orElse(List.of());
        if (isDeleted(entry)) {
            entry.deleted = true;
            usedDeletions.add(deletionKey(entry));
            return;
        }
        known.note(entry, node.isAdded());
        if (entry.hasNoOption() || isSkipped(entry)) {
            return;
        }
        if (file.isEmpty()) {
            notFound(node, inDeferred);
            return;
        }
        checkDepth(node);
        files.add(file.get());
        List<Entry> list = list(parsed, file.get(), entry);
        list.forEach(child -> attach(child, entry));
        scanOverrides(list, node, inDeferred);
        grow(node, list, inDeferred);
    }

    private Optional<String> header(ConfigFile file) {
        if (rules.validatesPackages() && file.pkg().isPresent()) {
            PackageNames.check(file.pkg().get(), file.origin());
        }
        return file.pkg();
    }

    private void attach(Entry child, Entry parent) {
        if (child.appended && rules.appendsAtRoot()) {
            child.attach("", "");
        } else {
            child.attach(parent.groupPath(), parent.finalPackage()); // includes the package directive of its file
        }
        if (rules.usesGroupKeyword(child.pkg())) {
            child.expandGroup();
        }
    }

    private boolean isDeleted(Entry entry) {
        if (entry.isSelf() || (entry.primary && !rules.deletesByName())) {
            return false;
        }
        GroupOverrides.Deletion deletion = overrides.deletions().get(deletionKey(entry));
        return deletion != null
                && (deletion.option().isEmpty() || deletion.option().get().equals(entry.option()));
    }

    private static String deletionKey(Entry entry) {
        return entry.isGroup() ? entry.key() : entry.configPath();
    }

    private boolean isSkipped(Entry entry) {
        if (!entry.configPath().endsWith("???")) {
            return false;
        }
        if (!skipMissing && entry.isGroup()) {
            findings.add(Errors.mustSpecify(entry, repository));
            lacking(entry);
            return true;
        }
        if (!skipMissing) {
            throw Errors.at(entry.where, "??? is allowed for the option of a group, not for a config");
        }
        return true;
    }

    private void notFound(TreeNode node, boolean inDeferred) {
        Entry entry = node.entry;
        boolean typed = entry.choice != null && entry.choice.byUser();
        if (entry.optional && !(typed && rules.requiresChosenOption())) {
            entry.deleted = true;
            return;
        }
        if (inDeferred && !findings.isEmpty()) {
            return; // the name contains other choices; their errors may be the cause
        }
        findings.add(
                entry.isGroup()
                        ? Errors.optionNotFound(entry, node.parentPath(), repository)
                        : Errors.configNotFound(entry, node.parentPath(), repository));
        lacking(entry);
    }

    private void lacking(Entry entry) {
        String group = entry.isGroup() ? entry.groupPath() : "";
        mayLackGroups |= !entry.isGroup()
                || repository.options(group).stream()
                        .flatMap(option -> repository.load(group + "/" + option).stream())
                        .flatMap(file -> parser.parse(file).stream())
                        .anyMatch(Entry::isGroup);
    }

    private void checkDepth(TreeNode node) {
        List<String> path = node.path();
        if (path.size() > MAX_DEPTH) {
            String last = path.get(path.size() - 1);
            int before = path.subList(0, path.size() - 1).lastIndexOf(last);
            throw Errors.cycle(path.subList(Math.max(0, before), path.size()));
        }
    }

    private List<Entry> list(List<Entry> parsed, ConfigFile file, Entry entry) {
        List<Entry> list = new ArrayList<>(parsed);
        boolean appends = entry.primary && !overrides.appends().isEmpty();
        if (!list.isEmpty() || appends) {
            long selves = list.stream().filter(Entry::isSelf).count();
            if (selves > 1) {
                throw Errors.at(file.origin(), "duplicate _self_ in the defaults list of '" + entry.configPath() + "'");
            }
            boolean plain = list.stream().anyMatch(child -> !child.override)
                    || (appends && rules.rejectsIneffectiveOverrides());
            if (selves == 0 && (plain || list.isEmpty())) {
                list.add(Entry.self());
            }
        }
        if (entry.primary) {
            for (GroupOverrides.Append append : overrides.appends()) {
                append(append, list, entry);
            }
        }
        return list;
    }

    private void append(GroupOverrides.Append append, List<Entry> list, Entry primary) {
        Choice choice = append.choice();
        Entry entry = choice.list() == null
                ? Entry.group(append.group(), choice.option(), append.pkg().orElse(null))
                : Entry.group(append.group(), choice.list(), append.pkg().orElse(null));
        entry.appended = true;
        entry.where = choice.where();
        if (append.orChange()) {
            attach(entry, primary);
            for (Entry listed : list) {
                if (listed.isGroup()) {
                    attach(listed, primary);
                    if (listed.key().equals(entry.key())) {
                        choices.put(entry.key(), choice);
                        return;
                    }
                }
            }
        }
        list.add(entry);
    }

    private void scanOverrides(List<Entry> list, TreeNode node, boolean inDeferred) {
        Entry parent = node.entry;
        Entry last = null;
        for (Entry entry : list) {
            if (entry.isSelf()) {
                continue;
            }
            if (last != null && !entry.override && !entry.appended) {
                throw Errors.overrideTooEarly(last, entry, parent.configPath());
            }
            if (entry.override) {
                last = entry;
                if (inDeferred) {
                    throw Errors.overrideInDeferred(entry, parent.configPath());
                }
                if (!rules.lastOverrideWins()) {
                    declare(entry, node);
                }
            }
        }
    }

    private void declare(Entry entry, TreeNode node) {
        String key = entry.key();
        Choice choice =
                new Choice(entry.option(), entry.optionList(), node.entry.configPath(), entry.conditional, entry.where);
        declared.putIfAbsent(key, choice);
        if (!choices.containsKey(key)) {
            if (known.has(key) && (node.isAdded() || !known.isAdded(key))) {
                late.putIfAbsent(key, choice);
            }
            choices.put(key, choice);
        }
    }

    private void grow(TreeNode node, List<Entry> list, boolean inDeferred) {
        List<TreeNode> waiting = new ArrayList<>();
        for (int i = list.size() - 1; i >= 0; i--) {
            Entry entry = list.get(i);
            if (entry.isSelf()) {
                node.children.add(new TreeNode(entry, node));
            } else if (!entry.override) {
                grow(node, entry, waiting, inDeferred);
            } else if (rules.lastOverrideWins()) {
                declare(entry, node);
            }
        }
        for (TreeNode child : waiting) {
            if (!choose(child.entry)) {
                deferred.resolve(child.entry, known.all());
            }
            expand(child, true);
        }
        Collections.reverse(node.children);
    }

    /** Applies an override that was found after an interpolated entry. Hydra keeps the interpolation instead. */
    private boolean choose(Entry entry) {
        boolean isOpen = entry.isGroup() && entry.choice == null && rules.appliesLateOverrides();
        Choice choice = isOpen ? choices.get(entry.key()) : null;
        if (choice == null
                || choice.list() != null
                || String.valueOf(choice.option()).contains("${")) {
            return false;
        }
        usedChoices.add(entry.key());
        entry.choose(choice);
        return true;
    }

    private void grow(TreeNode node, Entry entry, List<TreeNode> waiting, boolean inDeferred) {
        Choice choice = entry.isGroup() ? choices.get(entry.key()) : null;
        boolean protectedEntry =
                entry.appended && rules.rejectsIneffectiveOverrides() && choice != null && !choice.byUser();
        if (choice != null && !protectedEntry) {
            usedChoices.add(entry.key());
            entry.choose(choice);
        }
        if (entry.optionList() != null) {
            options(node, entry, inDeferred);
            return;
        }
        TreeNode child = new TreeNode(entry, node);
        node.children.add(child);
        String text = entry.interpolatedText();
        if (text != null && text.contains("${")) {
            waiting.add(child);
        } else {
            expand(child, inDeferred);
        }
    }

    /** Expands a group with several options into one config per option. These configs have no choice key. */
    private void options(TreeNode node, Entry entry, boolean inDeferred) {
        List<String> names = new ArrayList<>(entry.optionList() == null ? List.of() : entry.optionList());
        Collections.reverse(names);
        for (String name : names) {
            if (name.equals(Choice.NO_NAME)) {
                throw Errors.notAnOption(entry.groupPath(), entry.choice == null ? entry.where : entry.choice.where());
            }
            if (name.contains("${")) {
                throw Errors.at(entry.where, "interpolations are not supported in a list of options");
            }
            Entry item = Entry.config(entry.name() + "/" + name, entry.pkg());
            item.optional = entry.optional;
            item.where = entry.where;
            item.choice = entry.choice;
            TreeNode child = new TreeNode(item, node);
            attach(item, node.entry);
            node.children.add(child);
            expand(child, inDeferred);
        }
    }

    /** Adds {@code last} to the problems and throws all of them. */
    StageException failed(StageException last) {
        findings.add(last);
        findings.end();
        return last;
    }

    /** Throws if there are problems, or if an override or deletion of a group has no target. */
    void checkUsed() {
        if (mayLackGroups) {
            findings.end();
        }
        for (Map.Entry<String, Choice> choice : choices.entrySet()) {
            if (!usedChoices.contains(choice.getKey()) && !choice.getValue().optional()) {
                String key = choice.getKey();
                String group = key.indexOf('@') < 0 ? key : key.substring(0, key.indexOf('@'));
                findings.add(Errors.overrideUnused(
                        key,
                        choice.getValue(),
                        known.keysOf(group),
                        known.all().keySet(),
                        schema.filter(keys -> !keys.accepts(List.of(group.split("/"))))
                                .map(keys -> keys.named(group)),
                        rules.rejectsIneffectiveOverrides() && known.has(key)));
            }
        }
        for (Map.Entry<String, GroupOverrides.Deletion> deletion :
                overrides.deletions().entrySet()) {
            if (!usedDeletions.contains(deletion.getKey())) {
                GroupOverrides.Deletion wanted = deletion.getValue();
                findings.add(Errors.deletionUnused(
                        deletion.getKey(),
                        wanted.option(),
                        wanted.where(),
                        known.all().keySet()));
            }
        }
        findings.end();
    }

    /** Checks the package directives of files. */
    private static final class PackageNames {
        private static final Pattern LEGAL =
                Pattern.compile("(_global_|[A-Za-z][A-Za-z0-9_-]*)(\\.[A-Za-z0-9_][A-Za-z0-9_-]*)*");
        private static final Pattern KEYWORD = Pattern.compile("(^|\\.)(_group_|_here_|_name_)($|\\.)");

        private PackageNames() {}

        /** Throws if {@code directive} is not {@code _global_} or a dotted name. Files support no other keyword. */
        static void check(String directive, Origin where) {
            if (directive.isEmpty()
                    || (LEGAL.matcher(directive).matches()
                            && !KEYWORD.matcher(directive).find())) {
                return;
            }
            throw Errors.at(
                    where,
                    "'" + directive + "' is not a package: expected _global_, _global_.<name> or a dotted name "
                            + "(_here_ and _group_ are keywords of defaults lists only)");
        }
    }
}
