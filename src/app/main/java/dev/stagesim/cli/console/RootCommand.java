package dev.stagesim.cli.console;

import dev.stagesim.pipeline.StageRegistry;
import java.util.Objects;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The {@code stage} command without arguments: help and version. */
public final class RootCommand implements Runnable {
    final Console console;
    final Home home;
    final StageRegistry registry;

    final CommandSpec spec = LazyFactory.spec(this);

    public RootCommand(Console console, Home home, StageRegistry registry) {
        this.console = console;
        this.home = home;
        this.registry = registry;
        spec.name("stage")
                .versionProvider(new ProductVersion())
                .addOption(OptionBinding.flagBuilder("Show the version.", "--version", "-V")
                        .versionHelp(true)
                        .build())
                .addMixin("common", OptionBinding.common());
        spec.usageMessage()
                .synopsisSubcommandLabel("COMMAND")
                .description("Describe a GPU/LLM workload, measure it, simulate it, and compare.")
                .footer(
                        "",
                        "stage COMMAND --help lists keys and examples. Keys: group=option, key.path=value",
                        "Results for programs go to stdout (the run directory), messages to stderr.",
                        "Exit codes: 0 done, 1 failed, 2 input, 3 check failed, 130 interrupted, 141 pipe");
    }

    /** Returns the model of the command line. */
    public CommandSpec spec() {
        return spec;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }

    /** The product's version, from the jar's manifest. */
    private static final class ProductVersion implements IVersionProvider {
        static String text() {
            return Objects.requireNonNullElse(
                    ProductVersion.class.getPackage().getImplementationVersion(), "development");
        }

        @Override
        public String[] getVersion() {
            return new String[] {
                "stagesim " + text(),
                "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")
            };
        }
    }
}
