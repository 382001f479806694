package dev.stagesim.config.compose.source;

import dev.stagesim.config.hocon.ConfigFile;
import java.util.List;
import java.util.Optional;

/** A source of configs with paths such as {@code db/mysql}. */
public interface ConfigSource {
    /**
     * Returns the config at {@code path}, or empty if there is none. The path has no extension, dots or empty segments.
     */
    Optional<ConfigFile> load(String path);

    /** Returns true if {@code group} is a directory of this source. */
    boolean isGroup(String group);

    /** Returns the configs directly inside {@code group}, without extension, in no particular order. */
    List<String> options(String group);

    /** Returns the groups directly inside {@code group}, in no particular order. */
    List<String> subgroups(String group);

    /** Returns the root that a listing of the search path shows for this source. */
    SearchRoot root();
}
