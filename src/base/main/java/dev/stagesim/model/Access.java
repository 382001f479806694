package dev.stagesim.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares the access to external resources that a configuration key enables. Keys of type {@code Path} are {@link
 * Resource#FILE} without a declaration.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Access {
    Resource value();

    /** A resource of the machine. */
    enum Resource {
        /** No resource, although the key's description mentions one. */
        NONE,
        /** The text is the path of a file or folder that is read. */
        FILE,
        /** The text names a file or folder in the run directory; {@link PathPart} defines the legal names. */
        OUTPUT_NAME,
        /** The path of a file outside of the run that is written. */
        WRITTEN_FILE,
        /** The text is started as a program. */
        PROGRAM,
        /** The text is the name of an environment variable that is read. */
        ENVIRONMENT,
        /** The text determines the host of a connection. */
        NETWORK,
        /** The value is part of the address on which a server listens. */
        LISTEN;

        /** Returns true if only the command line may set the key, not a page in a browser. */
        public boolean isForCommandLine() {
            return this == WRITTEN_FILE || this == PROGRAM || this == ENVIRONMENT || this == NETWORK || this == LISTEN;
        }
    }
}
