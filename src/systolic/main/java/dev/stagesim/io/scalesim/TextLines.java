package dev.stagesim.io.scalesim;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the lines of a UTF-8 table. */
final class TextLines {
    private TextLines() {}

    /**
     * Reads a table.
     *
     * @param category category of the table's problems
     */
    static List<String> read(Path file, String category) throws IOException {
        byte[] bytes = InputFile.bytes(file);
        if (decoded(bytes, 0, bytes.length)) {
            return new String(bytes, StandardCharsets.UTF_8).lines().toList();
        }
        int line = 1;
        int from = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                if (!decoded(bytes, from, i)) {
                    break;
                }
                line++;
                from = i + 1;
            }
        }
        throw StageException.input(Problem.of(category, file + ":" + line, "the line is not text in UTF-8"));
    }

    /** Returns the first duplicate column name in a header; empty cells are ignored. */
    static Optional<String> firstDuplicate(String[] header) {
        Set<String> seen = new HashSet<>();
        return Arrays.stream(header)
                .map(String::strip)
                .filter(name -> !name.isEmpty() && !seen.add(name))
                .findFirst();
    }

    private static boolean decoded(byte[] bytes, int from, int to) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, to - from));
            return true;
        } catch (CharacterCodingException notText) {
            return false;
        }
    }
}
