package dev.stagesim.config.compose;

import dev.stagesim.config.compose.typed.Typing;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.Value;
import dev.stagesim.config.tree.ScalarNode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Composition rules. Each method is one difference between the stage dialect, Hydra 1.4 and Hydra 1.3.5. */
record Rules(boolean stageDialect, boolean sinceHydra14) {
    static Rules of(Dialect dialect) {
        return new Rules(dialect.isStage(), dialect.isSinceHydra14());
    }

    /** True if all problems are reported together. In Hydra the first problem ends the composition. */
    boolean reportsAll() {
        return stageDialect;
    }

    /** Returns the procedure that deletes keys. */
    Deletion deletion(Typing typing) {
        if (stageDialect) {
            return new Deletion(typing);
        }
        return sinceHydra14 ? new Deletion.WholeValue(typing, Dialect.HYDRA_1_4) : new Deletion.HydraDeletion(typing);
    }

    /** Returns the option that a command-line value names. Hydra accepts only text. */
    Optional<String> option(Value value) {
        boolean isText = value instanceof Value.Text || value instanceof Value.Quoted;
        boolean isName = isText || (stageDialect && value instanceof Value.Scalar && !(value instanceof Value.Null));
        return isName ? Optional.of(((Value.Scalar) value).text()) : Optional.empty();
    }

    /** Returns the option that a value in a defaults list names. */
    Optional<String> option(ScalarNode value) {
        boolean isName = value.kind() == ScalarNode.Kind.STRING || (stageDialect && !value.isNull());
        return isName ? Optional.of(value.text()) : Optional.empty();
    }

    /**
     * True if the command line may choose no option with {@code null}, and may add or change a group with {@code ++}.
     */
    boolean allowsExtendedChoices() {
        return stageDialect;
    }

    /** True if a list of options is validated when it is read; Hydra validates it when it is used. */
    boolean validatesOptionListsEarly() {
        return stageDialect;
    }

    /** True if keywords and paths of defaults lists are validated. Hydra 1.3 ignores unknown ones. */
    boolean validatesDefaultsLists() {
        return sinceHydra14;
    }

    /** True if an override whose path leads through a reference changes what it refers to, as in Hydra 1.4. */
    boolean followsReferences() {
        return sinceHydra14 && !stageDialect;
    }

    /** True if {@code ~group=value} must name an option, and {@code ~config} names any config, as in Hydra 1.4. */
    boolean deletesByName() {
        return sinceHydra14 && !stageDialect;
    }

    /** True if the primary config may define aliases of overrides, as in Hydra 1.4. */
    boolean hasAliases() {
        return sinceHydra14 && !stageDialect;
    }

    /** True if only a list can be extended. Otherwise the first elements may be appended to a null or missing value. */
    boolean appendsToListsOnly() {
        return !stageDialect;
    }

    /** True if packages are validated. Hydra accepts any text. */
    boolean validatesPackages() {
        return stageDialect;
    }

    /** True if {@code override_if_present} is a keyword of defaults lists. */
    boolean allowsConditionalOverrides() {
        return stageDialect;
    }

    /** True if a config in a defaults list may be {@code optional}. Hydra allows this only for groups. */
    boolean allowsOptionalConfigs() {
        return stageDialect;
    }

    /**
     * True if the last override of a group in depth-first order wins, as in Hydra 1.4. In 1.3 the first override of a
     * list wins.
     */
    boolean lastOverrideWins() {
        return sinceHydra14;
    }

    /**
     * True if each override on the command line must have an effect. Then a config cannot override a group that the
     * command line added, and two overrides cannot cancel each other.
     */
    boolean rejectsIneffectiveOverrides() {
        return stageDialect;
    }

    /**
     * True if groups that the command line adds are absolute, as in Hydra 1.4. In 1.3 they are relative to the primary
     * config.
     */
    boolean appendsAtRoot() {
        return sinceHydra14;
    }

    /** True if {@code pkg} contains the {@code _group_} keyword. Since Hydra 1.4 only the first segment is checked. */
    boolean usesGroupKeyword(@Nullable String pkg) {
        if (pkg == null) {
            return false;
        }
        return sinceHydra14 ? pkg.equals(Entry.GROUP) || pkg.startsWith(Entry.GROUP + ".") : pkg.contains(Entry.GROUP);
    }

    /** True if an override also applies to groups that were expanded before the config that declares it. */
    boolean appliesLateOverrides() {
        return stageDialect;
    }

    /** True if an option from the command line must exist even when the entry is optional. */
    boolean requiresChosenOption() {
        return stageDialect;
    }

    /** Returns the text of an absent option in the interpolated name of another option. */
    String absentOptionText() {
        return stageDialect ? "null" : "None";
    }

    /** True if {@code ~group/option} deletes a config that a defaults list names by its path, as in Hydra 1.4. */
    boolean deletesConfigs() {
        return sinceHydra14;
    }

    /** True if an override with a slash in its key must name a group. */
    boolean slashRequiresGroup() {
        return stageDialect;
    }

    /** Returns the reason why a leaf cannot be replaced by a map; empty if it can. */
    Optional<String> closed(ScalarNode leaf) {
        if (stageDialect && leaf.isInterpolation()) {
            return Optional.of("is " + leaf.text() + "; override what it refers to, or the whole value");
        }
        return !sinceHydra14 && leaf.isMissing() ? Optional.of("has no value yet") : Optional.empty();
    }
}
