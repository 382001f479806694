package dev.stagesim.stage.realbench;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.RealSettings;
import dev.stagesim.settings.RealSettings.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** All formats of measurements; a new one is one more line. */
final class ResultFormats {
    static final List<ResultFormat> ALL = List.of(new RecordedFormat(), new VllmFormat());

    private ResultFormats() {}

    /** The format that the settings name, or else the one whose files look like this. */
    static ResultFormat of(Path file, RealSettings settings) throws IOException {
        if (!Files.exists(file)) {
            throw StageException.input(Problem.of("config error", "real.file", "there is no " + file)
                    .hint("give a benchmark result file, or the directory of a recording"));
        }
        for (ResultFormat format : ALL) {
            if (settings.source() == format.source() || (settings.source() == Source.AUTO && format.recognises(file))) {
                return format;
            }
        }
        Problem problem = Problem.of("artifact error", file.toString(), "not a measurement in a known format");
        for (ResultFormat format : ALL) {
            problem = problem.note(format.source().name().toLowerCase(Locale.ROOT), format.describe());
        }
        throw StageException.input(problem.hint("real.source=... reads it as one of them whatever it looks like"));
    }
}
