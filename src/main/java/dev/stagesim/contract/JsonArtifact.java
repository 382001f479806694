package dev.stagesim.contract;

import java.util.List;

/**
 * Declared shape of one JSON artifact: an object with these members and no others.
 *
 * @param name file name
 * @param version contract version
 * @param doc one sentence for the generated reference
 * @param fields members in the order of the reference
 */
public record JsonArtifact(String name, int version, String doc, List<JsonField> fields) {
    public JsonArtifact {
        fields = List.copyOf(fields);
    }
}
