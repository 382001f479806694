package dev.stagesim.cli;

import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.OptionRules;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.cli.run.ConfigOptions;
import dev.stagesim.cli.run.ConfigPrinter;
import dev.stagesim.cli.run.ShowOptions;
import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.Composition;
import dev.stagesim.config.ConfigText;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Composes any tree of config files, without a stage and a schema. */
@Command(name = "show", description = "Compose the configs of a directory and print the result.")
final class ConfigShowCommand extends Subcommand {
    private final ConfigOptions config = new ConfigOptions();

    @Mixin
    final CommandSpec configSpec = config.spec();

    private final ShowOptions show = new ShowOptions();

    @Mixin
    final CommandSpec showSpec = show.spec();

    @Option(names = "--json", description = "Print JSON instead of HOCON.")
    private boolean json;

    @Mixin
    private final CompatOption compat = new CompatOption();

    @Parameters(arity = "0..*", paramLabel = "OVERRIDE", description = "Overrides in Hydra's grammar.")
    private List<String> overrides = new ArrayList<>();

    @Override
    public Integer call() {
        if (config.name() == null && overrides.isEmpty()) {
            throw StageException.input(Problem.usage("", "nothing to compose")
                    .hint("name a primary config with --config-name, or give overrides"));
        }
        OptionRules.excludes("--json", json, "--info", show.info() != null);
        Composition composition = config.foreignEngine(home())
                .compose(new ComposeRequest(
                        Optional.ofNullable(config.name()),
                        overrides,
                        ComposeRequest.Mode.RUN,
                        compat.dialect(),
                        Optional.empty()));
        composition.warnings().forEach(console()::warn);
        if (show.info() != null) {
            new ConfigPrinter(console()).info(show.info(), composition);
            return ExitCode.DONE;
        }
        MapNode tree = show.resolve() ? resolve(composition) : composition.config();
        if (json) {
            console().out().print(ConfigText.json(ConfigPrinter.below(tree, show.pkg())));
        } else {
            new ConfigPrinter(console()).tree(tree, show);
        }
        return ExitCode.DONE;
    }

    private MapNode resolve(Composition composition) {
        ResolverContext context = ResolverContext.local(Instant.now(), MapNode.empty());
        return composition.resolved(Resolvers.installed(context), console()::warn);
    }
}
