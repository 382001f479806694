package dev.stagesim.verify.chakra;

import dev.stagesim.io.gzip.Directories;
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

    /** True if the tool failed. */
    boolean isFailure() {
        return json.find("exit_code").map(code -> code.asInt() != 0).orElse(false);
    }

    /** Error output of the failed tool. */
    String error() {
        return json.find("error").map(LocatedJson::asString).orElse("");
    }

    /** Returns the file named by an argument, which is relative to the working directory of the tool. */
    Path file(String argument) {
        return folder.resolve("out").resolve(argument).normalize();
    }

    /** Returns the recorded files by name, without the JSON renderings that the corpus adds. */
    Map<String, byte[]> expected() throws IOException {
        Path out = folder.resolve("out");
        Map<String, byte[]> files = new TreeMap<>();
        if (!Files.isDirectory(out)) {
            return files;
        }
        for (Path path : Directories.files(out)) {
            String name = out.relativize(path).toString();
            if (RENDERINGS.stream().noneMatch(name::endsWith)) {
                files.put(name, Files.readAllBytes(path));
            }
        }
        return files;
    }

    /** Compares every recorded file with the product's file. The product may write files that were not recorded. */
    List<Difference> compare(Map<String, byte[]> written) throws IOException {
        return compare(expected(), written);
    }

    /** Compares the given recorded files with the product's files. */
    List<Difference> compare(Map<String, byte[]> expected, Map<String, byte[]> written) {
        List<Difference> differences = new ArrayList<>();
        expected.forEach((name, bytes) -> {
            byte[] actual = written.get(name);
            if (actual == null) {
                differences.add(new Difference(name, bytes.length + " bytes", "no such file"));
            } else if (!Arrays.equals(bytes, actual)) {
                int at = Arrays.mismatch(bytes, actual);
                differences.add(new Difference(name + " from byte " + at, hex(bytes, at), hex(actual, at)));
            }
        });
        if (expected.isEmpty() && !written.isEmpty()) {
            differences.add(new Difference("files", "none", String.join(", ", written.keySet())));
        }
        return differences;
    }

    private static String hex(byte[] bytes, int from) {
        byte[] part = Arrays.copyOfRange(bytes, Math.min(from, bytes.length), Math.min(from + 16, bytes.length));
        return HexFormat.ofDelimiter(" ").formatHex(part) + " of " + bytes.length + " bytes";
    }
}
