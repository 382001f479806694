package dev.stagesim.io.packet;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Logical topology files: {@code {"logical-dims": ["8", "2"]}}, dimension 0 fastest. */
public final class LogicalFiles {
    private static final String KEY = "logical-dims";

    private static final int MAX_NPUS = 1 << 24;

    private LogicalFiles() {}

    /** Reads the NPUs along each logical dimension. */
    public static List<Integer> read(Path file) throws IOException {
        LocatedJson json = Json.read(file);
        if (!json.has(KEY)
                || !(json.get(KEY).value() instanceof JsonValue.Arr list)
                || list.items().isEmpty()) {
            throw StageException.input(
                    Problem.config(file.toString(), "found no list " + KEY + ", expected one such as [\"8\", \"2\"]"));
        }
        List<Integer> dims = new ArrayList<>();
        long npus = 1;
        for (LocatedJson item : json.get(KEY).items()) {
            dims.add(size(item));
            npus = Math.min(MAX_NPUS + 1L, npus * dims.get(dims.size() - 1));
        }
        if (npus > MAX_NPUS) {
            throw StageException.input(Problem.config(json.get(KEY).where(), "more than " + MAX_NPUS + " NPUs in all"));
        }
        return dims;
    }

    public static JsonValue json(List<Integer> dimensions) {
        List<JsonValue> sizes = new ArrayList<>();
        dimensions.forEach(size -> sizes.add(new JsonValue.Str(Integer.toString(size))));
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put(KEY, new JsonValue.Arr(sizes));
        return new JsonValue.Obj(members);
    }

    private static int size(LocatedJson item) {
        String text = "";
        if (item.value() instanceof JsonValue.Str word) {
            text = word.value();
        } else if (item.value() instanceof JsonValue.Int whole) {
            text = Long.toString(whole.value());
        }
        try {
            int size = Integer.parseInt(text);
            if (size > 0) {
                return size;
            }
        } catch (NumberFormatException e) {
            // falls through to the error
        }
        throw StageException.input(Problem.config(
                item.where(), "found " + Json.describe(item.value()) + ", expected a whole number above 0"));
    }
}
