package dev.stagesim.stage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** What a stage is given that answers as an {@link Oracle}. Many threads may ask at a time. */
public interface OracleContext {
    /** Product installation, as {@link StageContext#home()}. */
    Path home();

    /** Directory for what is costly to make, as {@link StageContext#cache()}. */
    Optional<Path> cache();

    /** What the stage that fills a role hands on in memory ({@link Stage#product}); empty when it must be a run. */
    Optional<Object> product(String role) throws IOException;

    /** The finished run that fills a role; made unless it is there. */
    RunInput input(String role) throws IOException;

    /** Makes a value, once for all questions with an equal key. */
    <T> T shared(Record key, Making<T> making) throws IOException;

    /** How a shared value is made. */
    @FunctionalInterface
    interface Making<T> {
        T make() throws IOException;
    }
}
