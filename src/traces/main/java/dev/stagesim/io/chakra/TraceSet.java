package dev.stagesim.io.chakra;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.trace.inspect.TraceGraph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Finds the traces of a run and reads them as graphs. */
public final class TraceSet {
    private static final Pattern RANKED = Pattern.compile("(?:[^/\\\\]*\\.)?(\\d+)\\.e[tg](?:\\.gz)?");

    private TraceSet() {}

    /**
     * Finds traces by rank. Each argument is a file, a prefix of files {@code <prefix>.<rank>.et}, or a directory with
     * such files. A file name without a rank gets the next free rank.
     */
    public static SortedMap<Integer, Path> find(List<Path> words) throws IOException {
        SortedMap<Integer, Path> found = new TreeMap<>();
        List<Path> unranked = new ArrayList<>();
        for (Path word : words) {
            if (Files.isRegularFile(word)) {
                add(word, found, unranked);
                continue;
            }
            boolean isFolder = Files.isDirectory(word);
            Path folder = isFolder ? word : word.resolveSibling("");
            String beginning = isFolder ? "" : word.getFileName() + ".";
            Optional<TraceRanks> shared = TraceRanks.of(folder, beginning);
            if (shared.isPresent()) {
                List<Path> its = shared.get();
                IntStream.range(0, its.size()).forEach(rank -> add(rank, its.get(rank), found));
                continue;
            }
            List<Path> files = traces(folder, beginning);
            if (files.isEmpty()) {
                throw StageException.input(Problem.trace(
                                word.toString(),
                                isFolder
                                        ? "the directory has no files <name>.<rank>.et"
                                        : "there is no such file, and no file of this name with .<rank>.et")
                        .hint("name a trace, a directory of traces, or the common prefix of their names"));
            }
            for (Path file : files) {
                add(file, found, unranked);
            }
        }
        for (Path file : unranked) {
            int rank = 0;
            while (found.containsKey(rank)) {
                rank++;
            }
            found.put(rank, file);
        }
        return found;
    }

    private static void add(Path file, SortedMap<Integer, Path> found, List<Path> unranked) {
        Matcher ranked = RANKED.matcher(String.valueOf(file.getFileName()));
        if (!ranked.matches() || ranked.group(1).length() > 9) {
            unranked.add(file);
            return;
        }
        add(Integer.parseInt(ranked.group(1)), file, found);
    }

    private static void add(int rank, Path file, SortedMap<Integer, Path> found) {
        Path other = found.put(rank, file);
        if (other != null && !other.equals(file)) {
            throw StageException.input(Problem.trace(
                    file.toString(), "has the rank of " + other + "; name the prefix of one set of traces"));
        }
    }

    private static List<Path> traces(Path folder, String beginning) throws IOException {
        Path listed = folder.toString().isEmpty() ? folder.toAbsolutePath() : folder;
        if (!Files.isDirectory(listed)) {
            return List.of();
        }
        return Directories.list(listed, Files::isRegularFile).stream()
                .map(file -> String.valueOf(file.getFileName()))
                .filter(name -> isTrace(name, beginning))
                .map(folder::resolve)
                .sorted()
                .toList();
    }

    /** True if a name denotes a trace: {@code beginning}, if not empty, then a rank. */
    static boolean isTrace(String name, String beginning) {
        Matcher ranked = RANKED.matcher(name);
        return ranked.matches()
                && name.startsWith(beginning)
                && (beginning.isEmpty() || ranked.start(1) == beginning.length());
    }

    /**
     * Reads a trace.
     *
     * @param hasNames true to store the node names
     */
    public static TraceGraph graph(Path file, boolean hasNames) throws IOException {
        try (TraceInput input = TraceInput.open(file)) {
            TraceGraph graph = new TraceGraph(file.toString(), hasNames, input.hasMetadata());
            for (EtNode node = input.next(); node != null; node = input.next()) {
                graph.add(node);
            }
            return graph.build();
        }
    }

    public static List<EtNode> nodes(Path file) throws IOException {
        try (TraceInput input = TraceInput.open(file)) {
            List<EtNode> nodes = new ArrayList<>();
            for (EtNode node = input.next(); node != null; node = input.next()) {
                nodes.add(node);
            }
            return nodes;
        }
    }
}
