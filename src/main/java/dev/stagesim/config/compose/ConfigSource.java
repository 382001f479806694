package dev.stagesim.config.compose;

import dev.stagesim.config.hocon.ConfigFile;
import java.util.List;
import java.util.Optional;

/** A place that holds configs under paths such as {@code db/mysql}. */
interface ConfigSource {
    /** The config at {@code path}, a path without extension, dots or empty parts; empty when there is none. */
    Optional<ConfigFile> load(String path);

    /** True when {@code group} is a directory here. */
    boolean isGroup(String group);

    /** The configs directly inside {@code group}, without extension, in no particular order. */
    List<String> options(String group);

    /** The groups directly inside {@code group}, in no particular order. */
    List<String> subgroups(String group);

    /** How the source appears in a listing of the search path. */
    SearchRoot root();
}
