package dev.stagesim.verify.chakra;

import dev.stagesim.model.StageException;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Execution-trace tools of Chakra; the one place where the parts are listed. */
public final class ChakraSuite implements Suite {
    private static final List<ChakraPart> PARTS = List.of(
            new TextPart(),
            new TextDimsPart(),
            new LegacyPart(),
            new GeneratorPart("generator", GeneratorPart.Revision.CURRENT),
            new GeneratorPart("generator_numdims", GeneratorPart.Revision.DIMENSIONS),
            new GeneratorPart("generator_cpp_v001", GeneratorPart.Revision.FIRST),
            new FeederPart(),
            new JsonizerPart(),
            new PytorchPart(),
            new VisualizerPart(),
            new TimelinePart());

    @Override
    public String name() {
        return "chakra";
    }

    @Override
    public String doc() {
        return "Execution traces as the Chakra tools make, convert and read them, byte for byte; a folder with"
                + " <part>/<case>/{in/,out/,case.json}.";
    }

    @Override
    public void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        for (ChakraPart part : PARTS) {
            Path folder = corpus.resolve(part.name());
            if (Files.isDirectory(folder)) {
                for (Path path : CaseFolders.in(folder)) {
                    results.accept(replay(part, ChakraCase.read(path)));
                }
            }
        }
    }

    private static CaseResult replay(ChakraPart part, ChakraCase recorded) throws IOException {
        List<Difference> differences;
        try {
            differences = recorded.asksForHelp() ? recorded.compare(Map.of()) : part.replay(recorded);
        } catch (StageException refusal) {
            return recorded.isFailure() && refusal.kind() == StageException.Kind.INPUT
                    ? CaseResult.passed(part.name(), recorded.id())
                    : CaseResult.failed(
                            part.name(),
                            recorded.id(),
                            "outcome",
                            recorded.isFailure() ? recorded.error() : "a result",
                            refusal.problems().get(0).render());
        }
        if (recorded.isFailure()) {
            return CaseResult.failed(part.name(), recorded.id(), "outcome", recorded.error(), "a result");
        }
        return differences.isEmpty()
                ? CaseResult.passed(part.name(), recorded.id())
                : CaseResult.failed(part.name(), recorded.id(), differences);
    }
}
