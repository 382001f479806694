package dev.stagesim.contract;

import java.util.ArrayList;
import java.util.List;

/**
 * Declared schema of one JSON artifact: an object with these members and no others.
 *
 * @param name file name
 * @param version contract version
 * @param doc one sentence for the generated reference
 * @param fields members in the order of the reference
 */
public record JsonArtifact(String name, int version, String doc, List<JsonField> fields) {
    private static final String VERSION = "schema_version | integer | Version of this file's contract.";

    public JsonArtifact {
        fields = List.copyOf(fields);
    }

    /** Reads a declaration: {@code name version | meaning}, followed by one {@link JsonField} per line. */
    public static JsonArtifact of(String text) {
        List<Declaration> lines = Declaration.read(text);
        Declaration head = lines.get(0);
        return new JsonArtifact(head.name(), head.version(), head.doc(), fields(lines.subList(1, lines.size())));
    }

    /** Returns the artifact that a record declares: one {@link Member} per component, plus the version. */
    public static JsonArtifact of(Class<? extends Record> document) {
        Declaration head = Declaration.read(declared(document)).get(0);
        List<JsonField> fields = new ArrayList<>(fields(Declaration.read(VERSION)));
        fields.addAll(JsonField.of(document));
        return new JsonArtifact(head.name(), head.version(), head.doc(), fields);
    }

    private static String declared(Class<? extends Record> document) {
        Member member = document.getAnnotation(Member.class);
        if (member == null) {
            throw new IllegalStateException(document.getName() + " has no @Member");
        }
        return member.value();
    }

    /** Reads a declaration in which {@code members} replaces a line of three dots. */
    public static JsonArtifact of(String text, String members) {
        StringBuilder all = new StringBuilder();
        text.lines().forEach(line -> {
            if (line.strip().equals("...")) {
                members.lines().forEach(member -> all.append(line, 0, line.indexOf('.'))
                        .append(member)
                        .append('\n'));
            } else {
                all.append(line).append('\n');
            }
        });
        return of(all.toString());
    }

    private static List<JsonField> fields(List<Declaration> lines) {
        List<JsonField> fields = new ArrayList<>();
        int at = 0;
        while (at < lines.size()) {
            int end = at + 1;
            while (end < lines.size() && lines.get(end).depth() > lines.get(at).depth()) {
                end++;
            }
            fields.add(JsonField.of(lines.get(at), fields(lines.subList(at + 1, end))));
            at = end;
        }
        return fields;
    }
}
