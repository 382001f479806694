package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.MapNode;
import java.util.List;
import java.util.Optional;

/**
 * A parsed HOCON file before its directives are separated from the body.
 *
 * @param root the file's keys in author order
 * @param concatenations values that can only be computed after all files are merged, in file order
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
