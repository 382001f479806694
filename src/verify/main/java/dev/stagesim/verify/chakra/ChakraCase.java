package dev.stagesim.verify.chakra;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.verify.Difference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A recorded run.
 *
 * @param folder folder with {@code in/}, {@code out/} and {@code case.json}
 * @param json the content of {@code case.json}
 */
record ChakraCase(Path folder, LocatedJson json) {
    private static final List<String> RENDERINGS = List.of(".et.json", ".eg.json");

    static ChakraCase read(Path folder) throws IOException {
        return new ChakraCase(folder, Json.read(folder.resolve("case.json")));
    }

    String id() {
        return String.valueOf(folder.getFileName());
    }

    List<String> arguments() {
        return json.get("argv").asStrings();
    }

    /** True if the case requests the usage text. */
    boolean isHelpRequest() {
        return json.has("argv") && arguments().stream().anyMatch(word -> word.equals("-h") || word.equals("--help"));
    }

    /** Whether the tool failed. */
    boolean isFailure() {
        return json.find("exit_code").map(code -> code.asInt() != 0).orElse(false);
    }

    /** Error output of the failed tool. */
    String error() {
        return json.find("error").map(LocatedJson::asString).orElse("");
    }

    /** A file that an argument names, relative to where the tool ran. */
    Path file(String argument) {
        return folder.resolve("out").resolve(argument).normalize();
    }

    /** The recorded files by name, without our renderings of them. */
    Map<String, byte[]> expected() throws IOException {
        Path out = folder.resolve("out");
        Map<String, byte[]> files = new TreeMap<>();
        if (!Files.isDirectory(out)) {
            return files;
        }
        List<Path> paths;
        try (Stream<Path> all = Files.walk(out)) {
            paths = all.filter(Files::isRegularFile).toList();
        }
        for (Path path : paths) {
            String name = out.relativize(path).toString();
            if (RENDERINGS.stream().noneMatch(name::endsWith)) {
                files.put(name, Files.readAllBytes(path));
            }
        }
        return files;
    }

    /** Compares every recorded file with ours; ours may be more, as recordings keep a selection. */
    List<Difference> compare(Map<String, byte[]> ours) throws IOException {
        return compare(expected(), ours);
    }

    /** Compares some of the recorded files with ours. */
    List<Difference> compare(Map<String, byte[]> expected, Map<String, byte[]> ours) {
        List<Difference> differences = new ArrayList<>();
        expected.forEach((name, bytes) -> {
            byte[] actual = ours.get(name);
            if (actual == null) {
                differences.add(new Difference(name, bytes.length + " bytes", "no such file"));
            } else if (!Arrays.equals(bytes, actual)) {
                int at = Arrays.mismatch(bytes, actual);
                differences.add(new Difference(name + " from byte " + at, hex(bytes, at), hex(actual, at)));
            }
        });
        if (expected.isEmpty() && !ours.isEmpty()) {
            differences.add(new Difference("files", "none", String.join(", ", ours.keySet())));
        }
        return differences;
    }

    private static String hex(byte[] bytes, int from) {
        byte[] part = Arrays.copyOfRange(bytes, Math.min(from, bytes.length), Math.min(from + 16, bytes.length));
        return HexFormat.ofDelimiter(" ").formatHex(part) + " of " + bytes.length + " bytes";
    }
}
