package dev.stagesim.io.measured.formats;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.engine.EngineLogFormat;
import dev.stagesim.io.measured.engine.LlamaTimingsFormat;
import dev.stagesim.io.measured.engine.PrometheusFormat;
import dev.stagesim.io.measured.engine.SpansFormat;
import dev.stagesim.io.measured.operations.ChromeTraceFormat;
import dev.stagesim.io.measured.operations.MlperfTrainingFormat;
import dev.stagesim.io.measured.operations.NcclTestsFormat;
import dev.stagesim.io.measured.operations.NsightFormat;
import dev.stagesim.io.measured.operations.RcclTestsFormat;
import dev.stagesim.io.measured.serving.AiperfFormat;
import dev.stagesim.io.measured.serving.BenchmarkReportFormat;
import dev.stagesim.io.measured.serving.BlisFormat;
import dev.stagesim.io.measured.serving.EvalscopeFormat;
import dev.stagesim.io.measured.serving.GenaiPerfFormat;
import dev.stagesim.io.measured.serving.GuidellmFormat;
import dev.stagesim.io.measured.serving.HfBenchmarkerFormat;
import dev.stagesim.io.measured.serving.InferencePerfFormat;
import dev.stagesim.io.measured.serving.InferencexFormat;
import dev.stagesim.io.measured.serving.LlamaBenchFormat;
import dev.stagesim.io.measured.serving.LlmperfFormat;
import dev.stagesim.io.measured.serving.LoadgenFormat;
import dev.stagesim.io.measured.serving.NvidiaSummaryFormat;
import dev.stagesim.io.measured.serving.RecordedFormat;
import dev.stagesim.io.measured.serving.SglangFormat;
import dev.stagesim.io.measured.serving.TrtllmFormat;
import dev.stagesim.io.measured.serving.VidurFormat;
import dev.stagesim.io.measured.serving.VllmFormat;
import dev.stagesim.io.measured.serving.VllmOfflineFormat;
import dev.stagesim.io.measured.serving.VllmPytorchFormat;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.zip.ZipException;

/** Registry of measurement formats. A new format needs one line here. */
public final class ResultFormats {
    private static final List<ResultFormat> ALL = List.of(
            new RecordedFormat(),
            new VllmFormat(),
            new VllmPytorchFormat(),
            new VllmOfflineFormat(),
            new SglangFormat(),
            new AiperfFormat(),
            new NvidiaSummaryFormat(),
            new GenaiPerfFormat(),
            new GuidellmFormat(),
            new InferencePerfFormat(),
            new BenchmarkReportFormat(),
            new LlmperfFormat(),
            new TrtllmFormat(),
            new LoadgenFormat(),
            new MlperfTrainingFormat(),
            new LlamaBenchFormat(),
            new HfBenchmarkerFormat(),
            new BlisFormat(),
            new VidurFormat(),
            new InferencexFormat(),
            new EvalscopeFormat(),
            new NcclTestsFormat(),
            new RcclTestsFormat(),
            new ChromeTraceFormat(),
            new NsightFormat(),
            new PrometheusFormat(),
            new SpansFormat(),
            new LlamaTimingsFormat(),
            new EngineLogFormat());

    private ResultFormats() {}

    /** Returns the names of the formats, which are values of {@code real.source}. */
    public static List<String> names() {
        return ALL.stream().map(ResultFormat::name).toList();
    }

    /**
     * Reads a measurement.
     *
     * @param source name of the format; empty to detect it from the content
     */
    public static Measurement read(Path file, Optional<String> source, ReadOptions options) throws IOException {
        try {
            return of(file, source).read(file, options);
        } catch (EOFException | ZipException e) {
            throw FormatProbe.damaged(file, e);
        }
    }

    /** Returns the format named {@code source}, or the first format that recognises the file. */
    static ResultFormat of(Path file, Optional<String> source) throws IOException {
        if (Files.exists(file) && !Files.isDirectory(file)) {
            InputFile.regular(file);
        }
        if (!Files.exists(file)) {
            throw StageException.input(Problem.config("real.file", "there is no " + file)
                    .hint("give a benchmark result file, or the directory of a recording"));
        }
        Optional<FormatProbe> probe = source.isPresent() ? Optional.empty() : Optional.of(FormatProbe.at(file));
        for (ResultFormat format : ALL) {
            boolean named = source.filter(format.name()::equals).isPresent();
            if (named || probe.filter(format::recognises).isPresent()) {
                return format;
            }
        }
        if (probe.isPresent() && !probe.get().broken().isEmpty()) {
            throw StageException.input(probe.get().broken().stream()
                    .map(broken ->
                            broken.hint("the file may be truncated; if it is not JSON, set real.source to its format: "
                                    + String.join(", ", names())))
                    .toList());
        }
        if (Files.isRegularFile(file)
                && probe.filter(content -> content.head().isBlank()).isPresent()) {
            throw StageException.input(Problem.artifact(file.toString(), "the file is empty"));
        }
        Problem problem = Problem.artifact(file.toString(), "the format is not supported");
        for (ResultFormat format : ALL) {
            problem = problem.note(format.name(), format.describe());
        }
        throw StageException.input(problem.hint("set real.source to select the format yourself"));
    }
}
