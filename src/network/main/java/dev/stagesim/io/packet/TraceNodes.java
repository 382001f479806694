package dev.stagesim.io.packet;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Files with traced nodes: a count and as many node numbers. */
public final class TraceNodes {
    private TraceNodes() {}

    public static List<Integer> read(Path file) throws IOException {
        if (!Files.isRegularFile(InputFile.regular(file))) {
            throw StageException.input(Problem.config(file.toString(), "there is no such file"));
        }
        Words words = new Words(InputFile.text(file), file.toString());
        List<Integer> nodes = new ArrayList<>();
        int count = number(words);
        for (int i = 0; i < count; i++) {
            nodes.add(number(words));
        }
        return nodes;
    }

    private static int number(Words words) {
        String word = words.hasNext() ? words.next() : "the end";
        try {
            return Integer.parseInt(word);
        } catch (NumberFormatException e) {
            throw StageException.input(
                    Problem.config(words.where(), "found '" + word + "', expected a number of nodes, or a node"), e);
        }
    }
}
