package dev.stagesim.config.compose;

import dev.stagesim.config.compose.typed.Typing;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.Value;
import dev.stagesim.config.tree.ScalarNode;
import java.util.Optional;

/** Whose rules composition follows: each method is one thing in which ours and those of Hydra 1.3.5 differ. */
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

    /** True when {@code optional} may stand in front of configs and of overrides, not of groups alone. */
    boolean hasMoreOptional() {
        return own;
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
