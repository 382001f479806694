package dev.stagesim.stage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Context of an {@link Oracle}; thread-safe. */
public interface OracleContext {
    /** Returns the product installation, as {@link StageContext#home()}. */
    Path home();

    /** Returns the cache directory, as {@link StageContext#cache()}. */
    Optional<Path> cache();

    /** Reports a warning about the input of the queries. Equal warnings are reported once per search. */
    void warn(String message);

    /** Returns true if the user set a key, as {@link StageContext#isSet}. */
    boolean isSet(String key);

    /** Returns the option chosen for a group, as {@link StageContext#choice}. */
    Optional<String> choice(String group);

    /** Returns the in-memory product of the stage of a role ({@link Stage#product}); empty if a run is required. */
    Optional<Object> product(String role) throws IOException;

    /** Returns the finished run of a role, and executes it if needed. */
    RunInput input(String role) throws IOException;

    /** Returns the value of a key, computed once. */
    <T> T shared(Record key, Making<T> making) throws IOException;

    /** Computes a shared value. */
    @FunctionalInterface
    interface Making<T> {
        T make() throws IOException;
    }
}
