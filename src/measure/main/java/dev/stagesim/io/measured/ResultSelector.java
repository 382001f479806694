package dev.stagesim.io.measured;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Selects one result of a file with several results, in sequence or in an array. */
public final class ResultSelector {
    private ResultSelector() {}

    /** Checks that an array has an item for each of {@code n} requests. */
    public static LocatedJson sized(LocatedJson array, int n) {
        int size = array.items().size();
        if (size != n) {
            throw StageException.input(array.problem("has " + size + " items, expected one for each of " + n
                    + " requests: the file is damaged or was edited"));
        }
        return array;
    }

    /** Returns the selected result, or the only one; {@code label} names a result in the error. */
    public static LocatedJson pick(Path file, ReadOptions options, Function<LocatedJson, String> label)
            throws IOException {
        List<LocatedJson> results = ResultFile.documents(file);
        if (results.isEmpty()) {
            throw StageException.input(Problem.artifact(file.toString(), "the file is empty"));
        }
        if (results.get(0).value() instanceof JsonValue.Arr) {
            throw StageException.input(results.get(0).problem("found an array, expected an object"));
        }
        return pick(results, file.toString(), options, label);
    }

    public static LocatedJson pick(
            List<LocatedJson> results, String where, ReadOptions options, Function<LocatedJson, String> label) {
        if (results.isEmpty()) {
            throw StageException.input(Problem.artifact(where, "contains no result"));
        }
        if (options.entry().isEmpty() && results.size() == 1) {
            return results.get(0);
        }
        int entry = options.entry().orElse(-1);
        if (entry >= 0 && entry < results.size()) {
            return results.get(entry);
        }
        List<String> choices = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            choices.add(i + label.apply(results.get(i)));
        }
        String many = results.size() == 1 ? " result" : " results";
        throw StageException.input(Problem.config(
                        "real.entry",
                        (entry < 0 ? "not set" : "is " + entry) + ", but " + where + " contains " + results.size()
                                + many)
                .options(choices));
    }
}
