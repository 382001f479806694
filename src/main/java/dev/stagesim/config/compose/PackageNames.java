package dev.stagesim.config.compose;

import dev.stagesim.config.tree.Origin;
import java.util.regex.Pattern;

/** Checks package directives of files. */
final class PackageNames {
    private static final Pattern LEGAL =
            Pattern.compile("(_global_|[A-Za-z][A-Za-z0-9_-]*)(\\.[A-Za-z0-9_][A-Za-z0-9_-]*)*");
    private static final Pattern KEYWORD = Pattern.compile("(^|\\.)(_group_|_here_|_name_)($|\\.)");

    private PackageNames() {}

    /** Fails when {@code directive} is not {@code _global_} or a dotted name; files know no other keyword. */
    static void check(String directive, Origin where) {
        if (directive.isEmpty()
                || (LEGAL.matcher(directive).matches()
                        && !KEYWORD.matcher(directive).find())) {
            return;
        }
        throw Errors.at(
                where,
                "'" + directive + "' is not a package: expected _global_, _global_.<name> or a dotted name "
                        + "(_here_ and _group_ are keywords of defaults lists only)");
    }
}
