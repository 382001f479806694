package dev.stagesim.verify.fidelity;

import dev.stagesim.cli.FidelityTool;
import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.model.Key;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.verify.fidelity.corpus.Cards;
import dev.stagesim.verify.fidelity.kernels.KernelFidelity;
import dev.stagesim.verify.fidelity.training.TrainingFidelity;
import java.io.IOException;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;

/** Predicts a corpus of measured serving runs, training steps or kernels with the configured cards. */
public final class CorpusPredictions implements FidelityTool {
    @Override
    public Report run(Path corpus, ConfigEngine engine, IntConsumer done) throws IOException {
        Cards cards = new ConfiguredCards(engine);
        Optional<TrainingFidelity> training = TrainingFidelity.of(corpus, cards);
        if (training.isPresent()) {
            return training.get();
        }
        Optional<KernelFidelity> kernels = KernelFidelity.of(corpus, cards);
        return kernels.isPresent() ? kernels.get() : Fidelity.of(corpus, cards, done);
    }

    /** Cards of the configuration. */
    private static final class ConfiguredCards implements Cards {
        private final ConfigEngine engine;

        record OfModel(@Key("The model.") ModelCard model) {}

        record OfHardware(@Key("The device.") HardwareCard hardware) {}

        record OfEngine(@Key("The engine.") EngineSettings engine) {}

        ConfiguredCards(ConfigEngine engine) {
            this.engine = engine;
        }

        @Override
        public Optional<ModelCard> model(String option) {
            return card("model", option, OfModel.class).map(OfModel::model);
        }

        @Override
        public Optional<HardwareCard> hardware(String option) {
            return card("hardware", option, OfHardware.class).map(OfHardware::hardware);
        }

        @Override
        public Optional<StepCard> engine(String option) {
            return card("engine", option, OfEngine.class)
                    .map(each -> each.engine().step());
        }

        private <R extends Record> Optional<R> card(String group, String option, Class<R> type) {
            if (!engine.options(group).contains(option)) {
                return Optional.empty();
            }
            SettingsSchema schema = SettingsSchema.of(type);
            var composed = engine.compose(new ComposeRequest(
                            Optional.empty(),
                            List.of("+" + group + "=" + option),
                            ComposeRequest.Mode.RUN,
                            Dialect.STAGE,
                            Optional.empty())
                    .withSchema(schema));
            MapNode tree = composed.withConfig(schema.complete(composed.config()))
                    .resolved(Resolvers.installed(new ResolverContext(
                            Map.of(), ZonedDateTime.now(ZoneOffset.UTC), MapNode.of(Map.of(), Origin.UNKNOWN))));
            return Optional.of(Binder.bind(tree, type));
        }
    }
}
