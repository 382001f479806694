package dev.stagesim.model.card;

import java.util.Optional;

/** Rules between the values of one card. A violation is an input error. */
public final class CardRule {
    private CardRule() {}

    /** Requires a name. */
    public static void named(String name) {
        require(!name.isBlank(), "name is empty, expected a name");
    }

    /** Requires that one value is at most another, if both are given. */
    public static <T extends Number> void ordered(String key, Optional<T> value, String limitKey, Optional<T> limit) {
        if (value.isPresent() && limit.isPresent()) {
            require(
                    value.get().doubleValue() <= limit.get().doubleValue(),
                    key + " " + value.get() + " is more than " + limitKey + " " + limit.get());
        }
    }

    /** Refuses a value that has no effect without another. */
    static void useless(String neededKey, Optional<?> needed, String key, Optional<?> value) {
        require(
                needed.isPresent() || value.isEmpty(),
                key + " " + value.map(Object::toString).orElse("") + " has no effect without " + neededKey);
    }

    /** Throws an exception that the binder turns into a problem with the location of the card. */
    public static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
