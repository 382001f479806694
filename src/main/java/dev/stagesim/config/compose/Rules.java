package dev.stagesim.config.compose;

import dev.stagesim.config.compose.typed.Typing;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.Value;
import dev.stagesim.config.tree.ScalarNode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rules of composition: each method is one difference between the default rules and those of Hydra 1.3.5. */
record Rules(boolean own) {
    static Rules of(Dialect dialect) {
        return new Rules(dialect == Dialect.STAGE);
    }

    /** True when all problems are reported together; by Hydra's rules the first ends composition. */
    boolean reportsAll() {
        return own;
    }

    /** How keys are deleted. */
    Deletion deletion(Typing typing) {
        return own ? new Deletion(typing) : new Deletion.OfHydra(typing);
    }

    /** The option that a value on the command line names: only text does for Hydra. */
    Optional<String> option(Value value) {
        boolean isText = value instanceof Value.Text || value instanceof Value.Quoted;
        boolean isName = isText || (own && value instanceof Value.Scalar && !(value instanceof Value.Null));
        return isName ? Optional.of(((Value.Scalar) value).text()) : Optional.empty();
    }

    /** The option that a value in a defaults list names. */
    Optional<String> option(ScalarNode value) {
        boolean isName = value.kind() == ScalarNode.Kind.STRING || (own && !value.isNull());
        return isName ? Optional.of(value.text()) : Optional.empty();
    }

    /** True when the command line may choose no option with null, and add a group or change it with {@code ++}. */
    boolean hasMoreChoices() {
        return own;
    }

    /** True when a list of options is looked at where it is written, not where it is used. */
    boolean checksLists() {
        return own;
    }

    /** True when the keywords and packages of defaults lists must make sense; Hydra drops what it does not know. */
    boolean checksDefaults() {
        return own;
    }

    /** True when a config in a defaults list may be {@code optional}, not only a group. */
    boolean hasMoreOptional() {
        return own;
    }

    /** True when the last override of a group in depth-first order wins, as in Hydra 1.4; in 1.3 the first of a list wins. */
    boolean lastOverrideWins() {
        return own;
    }

    /**
     * True when each word of the command line must have an effect: a config cannot override a group that the command
     * line added, and two words cannot undo each other.
     */
    boolean keepsTyped() {
        return own;
    }

    /** True when groups that the command line adds are absolute, as in Hydra 1.4; in 1.3 they lie below the primary config. */
    boolean appendsAbsolutely() {
        return own;
    }

    /** True when {@code pkg} contains the keyword for the path of its group; since Hydra 1.4 only its first segment counts. */
    boolean namesGroup(@Nullable String pkg) {
        if (pkg == null) {
            return false;
        }
        return own ? pkg.equals(Entry.GROUP) || pkg.startsWith(Entry.GROUP + ".") : pkg.contains(Entry.GROUP);
    }

    /** True when an override counts for groups that were expanded before the config that holds it. */
    boolean countsLateOverrides() {
        return own;
    }

    /** True when an option that the user typed must exist even where the entry is optional. */
    boolean requiresTyped() {
        return own;
    }

    /** How an option of none reads in the name of another. */
    String noOption() {
        return own ? "null" : "None";
    }

    /** True when an override of a key with a slash must name a group. */
    boolean knowsGroupsBySlash() {
        return own;
    }

    /** Why a leaf has no room for keys; empty when a map replaces it. */
    Optional<String> closed(ScalarNode leaf) {
        if (own && leaf.isInterpolation()) {
            return Optional.of("is " + leaf.text() + "; override what it refers to, or the whole value");
        }
        return !own && leaf.isMissing() ? Optional.of("has no value yet") : Optional.empty();
    }
}
