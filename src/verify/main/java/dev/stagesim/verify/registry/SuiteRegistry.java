package dev.stagesim.verify.registry;

import dev.stagesim.cli.SuiteRunner;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Suite;
import dev.stagesim.verify.VerifyReport;
import dev.stagesim.verify.astra.AstraSuite;
import dev.stagesim.verify.chakra.ChakraSuite;
import dev.stagesim.verify.eplb.EplbSuite;
import dev.stagesim.verify.fabric.FabricSuite;
import dev.stagesim.verify.hydra.HydraSuite;
import dev.stagesim.verify.mnk.MnkSuite;
import dev.stagesim.verify.packet.PacketSuite;
import dev.stagesim.verify.scalesim.ScaleSimSuite;
import dev.stagesim.verify.sglang.SglangSuite;
import dev.stagesim.verify.training.SchedulesSuite;
import dev.stagesim.verify.training.SimuMaxSuite;
import dev.stagesim.verify.vidur.VidurSuite;
import dev.stagesim.verify.vidur.VidurTablesSuite;
import dev.stagesim.verify.vllm.VllmSuite;
import dev.stagesim.verify.vtc.VtcSuite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** All suites of {@code stage verify}. */
public final class SuiteRegistry implements SuiteRunner {
    private static final String CATEGORY = "verify error";

    private final List<Suite> suites;

    /** All suites. */
    public SuiteRegistry() {
        this(List.of(
                HydraSuite.SUITE,
                VidurSuite.SUITE,
                VidurTablesSuite.SUITE,
                ScaleSimSuite.SUITE,
                MnkSuite.SUITE,
                ChakraSuite.SUITE,
                FabricSuite.SUITE,
                AstraSuite.SUITE,
                PacketSuite.SUITE,
                SglangSuite.of(SglangRules.V0_5),
                SglangSuite.of(SglangRules.V0_5_23),
                SchedulesSuite.SUITE,
                SimuMaxSuite.SUITE,
                VllmSuite.of(VllmRules.V0_28),
                VllmSuite.of(VllmRules.V0_33),
                EplbSuite.SUITE,
                VtcSuite.SUITE));
    }

    SuiteRegistry(List<Suite> suites) {
        this.suites = List.copyOf(suites);
    }

    @Override
    public List<String> names() {
        return suites.stream().map(Suite::name).sorted().toList();
    }

    @Override
    public VerifyReport run(String name, Path corpus) throws IOException {
        Suite suite = find(name);
        if (!Files.isDirectory(corpus)) {
            throw StageException.input(Problem.of(CATEGORY, "corpus", "there is no directory " + corpus)
                    .hint("corpus=<dir> is the folder with the cases of suite " + name));
        }
        List<CaseResult> results = new ArrayList<>();
        suite.run(corpus, results::add);
        if (results.isEmpty()) {
            throw StageException.input(Problem.of(
                            CATEGORY,
                            "corpus",
                            corpus + " contains no case of suite " + name + ", which checks nothing")
                    .hint(suite.doc()));
        }
        return new VerifyReport(name, results);
    }

    private Suite find(String name) {
        return suites.stream()
                .filter(suite -> suite.name().equals(name))
                .findFirst()
                .orElseThrow(() -> StageException.input(Problem.of(CATEGORY, "suite", "unknown suite '" + name + "'")
                        .options(names())
                        .didYouMean(Suggest.near(name, names()))));
    }
}
