package dev.stagesim.io.scalesim;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Reads the lines of a UTF-8 table. */
final class TextLines {
    private TextLines() {}

    /**
     * Reads a table.
     *
     * @param category category of the table's problems
     */
    static List<String> read(Path file, String category) throws IOException {
        if (!Files.isRegularFile(InputFile.regular(file))) {
            throw StageException.input(Problem.of(category, file.toString(), "there is no such file"));
        }
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

    /** Reports a table whose first line is no header, or that has no layers, and a column that appears twice. */
    static void checkHeader(List<String> lines, String expected, Consumer<String> problem) {
        String[] cells = lines.isEmpty() ? new String[0] : lines.get(0).split(",", -1);
        if (cells.length > 1 && cells[1].strip().matches("[0-9]+")) {
            problem.accept("the table starts with a row of numbers; its first line must be " + expected);
        } else if (lines.stream().skip(1).allMatch(String::isBlank)) {
            problem.accept("the table has no layers: a header, then one layer per line");
        }
        Set<String> seen = new HashSet<>();
        Arrays.stream(cells)
                .map(String::strip)
                .filter(name -> !name.isEmpty() && !seen.add(name))
                .findFirst()
                .ifPresent(name -> problem.accept("column '" + name + "' appears twice"));
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
