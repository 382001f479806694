package dev.stagesim.feature.fabric;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.Composition;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.SchemaKeys;
import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.workload.WorkloadStage;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;

/** Runs the stage on a file system in memory, composed from the shipped configs. */
final class FabricRuns {
    static final Path HOME = Path.of("").toAbsolutePath();

    final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private int runs;

    /** Returns the settings of a command line. */
    static FabricStageSettings settings(String... label) {
        return Binder.bind(tree(label), FabricStageSettings.class);
    }

    private static MapNode tree(String... label) {
        SettingsSchema schema = SettingsSchema.of(FabricStageSettings.class);
        ConfigEngine engine = ConfigEngine.open(List.of(new SearchRoot("main", Path.of("configs"))));
        Composition composed =
                engine.compose(ComposeRequest.of("fabric", List.of(label)).withSchema(new SchemaKeys(schema)));
        ResolverContext context = new ResolverContext(
                Map.of(), ZonedDateTime.of(2026, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC), MapNode.empty());
        return composed.withConfig(schema.complete(composed.config())).resolved(Resolvers.installed(context));
    }

    /** Returns a finished run of the stage on the workload that the same arguments make. */
    FakeContext run(String... label) throws IOException {
        FakeContext context = new FakeContext(directory("fabric"), HOME)
                .with("workload", upstream(new WorkloadStage(), label), "workload");
        return run(context, label);
    }

    /** Returns a finished run of stage workload. */
    Path workload(String... label) throws IOException {
        return upstream(new WorkloadStage(), label);
    }

    static FakeContext run(FakeContext context, String... label) throws IOException {
        new FabricStage().run(settings(label), context);
        return context;
    }

    private <S extends Record> Path upstream(Stage<S> stage, String... label) throws IOException {
        Path out = directory(stage.spec().name());
        S settings =
                Binder.bind(tree(label).without("compat"), stage.spec().settings(), BindOptions.STRICT.projecting());
        stage.run(settings, new FakeContext(out, HOME));
        return out;
    }

    private Path directory(String name) throws IOException {
        return Files.createDirectories(files.getPath("/tmp", name + runs++));
    }
}
