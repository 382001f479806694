package dev.stagesim.stage.vidurprofile;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.Problem;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A stage context in memory that records the reports of the stage. */
final class FakeContext implements StageContext {
    final List<String> warnings = new ArrayList<>();
    final Map<String, Double> headlines = new LinkedHashMap<>();
    private final Path out;

    FakeContext() {
        out = Jimfs.newFileSystem(Configuration.unix()).getPath("/run");
        try {
            Files.createDirectories(out);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the text of every written file by path. */
    Map<String, String> files() throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(out)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files.put(out.relativize(file).toString(), Files.readString(file));
            }
        }
        return files;
    }

    @Override
    public Path out() {
        return out;
    }

    @Override
    public RunInput input(String role) {
        throw new IllegalStateException("no input " + role);
    }

    @Override
    public Path home() {
        throw new IllegalStateException("home is not needed");
    }

    @Override
    public void progress(String what, long done, long total) {}

    @Override
    public void warn(String message) {
        warnings.add(message);
    }

    @Override
    public void checkFailed(Problem problem) {
        throw new IllegalStateException(problem.render());
    }

    @Override
    public void headline(String name, double value) {
        headlines.put(name, value);
    }
}
