package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.MapNode;
import java.util.List;
import java.util.Optional;

/**
 * One parsed file, as written.
 *
 * @param root the file's keys in author order
 * @param concatenations values that depend on the composed tree, in file order
 * @param headerComment text after {@code # @package} in the comments before the first key; present but empty if the
 *     comment names no package
 * @param warnings warnings for the user, one line each
 */
record HoconDocument(
        MapNode root, List<Concatenation> concatenations, Optional<String> headerComment, List<String> warnings) {
    HoconDocument {
        concatenations = List.copyOf(concatenations);
        warnings = List.copyOf(warnings);
    }
}
