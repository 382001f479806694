package dev.stagesim.config.compose;

import java.util.List;
import java.util.stream.Stream;

/** Checks the paths in defaults lists. The separator is {@code /}, and no path may lead to a parent directory. */
final class ConfigPaths {
    private ConfigPaths() {}

    /** Throws if the path of {@code entry}, or one of its options, contains {@code ..} or a backslash. */
    static void check(Entry entry) {
        List<String> options = entry.optionList() == null ? List.of() : entry.optionList();
        Stream.concat(Stream.of(entry.name(), entry.option() == null ? "" : entry.option()), options.stream())
                .filter(path ->
                        path.indexOf('\\') >= 0 || List.of(path.split("/", -1)).contains(".."))
                .findFirst()
                .ifPresent(path -> {
                    throw Errors.at(
                            entry.choice == null ? entry.where : entry.choice.where(),
                            "'" + path + "' is not a path of a config: parent traversal ('..') and '\\' are not"
                                    + " supported; name the group itself, as in '/group: option' or group=option");
                });
    }
}
