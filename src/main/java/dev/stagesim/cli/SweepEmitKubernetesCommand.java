package dev.stagesim.cli;

import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.sweep.ClusterJob;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes an Indexed job for {@code kubectl apply}, whose completions are the parts of a sweep. */
@Command(
        name = "kubernetes",
        description = "Write an Indexed job for kubectl apply, whose completions are the parts of a sweep.")
final class SweepEmitKubernetesCommand implements Callable<Integer> {
    private final Console console;
    private final Home home;
    private final StageRegistry registry;

    @Mixin
    private final EmitMixin emit = new EmitMixin();

    @Option(names = "--image", required = true, paramLabel = "IMAGE", description = "Container image with the product.")
    private String image = "";

    @Option(
            names = "--claim",
            required = true,
            paramLabel = "NAME",
            description = "Persistent volume claim that all parts share as working directory.")
    private String claim = "";

    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            description = "Where the claim is mounted. Default: ${DEFAULT-VALUE}")
    private String workDir = "/work";

    @Option(
            names = "--program",
            paramLabel = "FILE",
            description = "The product's launcher in the image. Default: ${DEFAULT-VALUE}")
    private String program = "/opt/stagesim/stage";

    @Mixin
    final CommonOptions common = new CommonOptions();

    SweepEmitKubernetesCommand(Console console, Home home, StageRegistry registry) {
        this.console = console;
        this.home = home;
        this.registry = registry;
    }

    @Override
    public Integer call() throws IOException {
        ClusterJob job = emit.job(home, registry, program, workDir);
        emit.write(console, job.kubernetes(image, claim), job);
        return ExitCode.DONE;
    }
}
