package dev.stagesim.stage.realbench;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.CancelSettings;
import dev.stagesim.settings.RealSettings;
import dev.stagesim.settings.RealSettings.Source;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A server, measured live. */
final class EndpointSource implements StageKind<RealBenchSettings> {
    @Override
    public Object choice() {
        return Source.ENDPOINT;
    }

    @Override
    public List<Path> reads(RealBenchSettings settings, Path home) {
        return settings.endpoint().cancel() instanceof CancelSettings.Listed listed
                ? List.of(listed.file())
                : List.of();
    }

    @Override
    public boolean measures(RealBenchSettings settings) {
        return true;
    }

    @Override
    public List<String> unread(RealBenchSettings settings) {
        return List.of("engine", "scheduler", "cluster");
    }

    @Override
    public void check(RealBenchSettings settings, Path home) {
        RealSettings real = settings.real();
        real.file().ifPresent(file -> {
            throw StageException.input(Problem.of(
                    "config error", "real.file", "has no effect with real.source=endpoint, which measures a server"));
        });
        RealBenchStage.options(real).refuse(true, false, "a live measurement is one result");
        LiveServer.of(settings.endpoint(), settings.model().name());
    }

    @Override
    public void run(RealBenchSettings settings, StageContext context) throws IOException {
        RealBenchStage.write(settings, LiveMeasurement.take(settings, context), context);
    }
}
