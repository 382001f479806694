package dev.stagesim.io.hf;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.hf.Family.Trait;
import dev.stagesim.io.hf.LayerPlan.Feed;
import dev.stagesim.io.hf.LayerPlan.Mixer;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonLines;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Confidence;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Makes a model card of {@code config.json} and of {@code hf_quant_config.json} beside it.
 *
 * <p>What a file leaves out and its family fixes is derived; what is missing otherwise is reported at once. A family or a key that the reader does not know lowers the card's confidence to low and becomes a warning of every run.
 */
public final class ModelConfig {
    private static final double GIGA = 1e9;
    private static final int DEFAULT_CONTEXT = 131_072;
    private static final String CONFIG = "config.json";
    private static final Pattern UNBOUNDED = Pattern.compile("([\\[,:]\\s*)-?(Infinity|NaN)\\b");
    private static final List<String> TEXT_PARTS =
            List.of("text_config", "llm_config", "language_config", "thinker_config");

    private final LocatedJson root;
    private final LocatedJson text;
    private final Family family;
    private final List<Problem> problems = new ArrayList<>();
    private final List<String> unmodelled = new ArrayList<>();
    private final ConfigKeys.Sizes sizes;
    private final ConfigKeys.Contexts contexts;

    private ModelConfig(LocatedJson root) {
        this.root = root;
        this.text = textPart(root);
        KeyRanges.check(text, problems);
        StageException.refuse(problems);
        this.family = Family.of(root, text);
        this.sizes = JsonBinder.FOREIGN.bind(text, ConfigKeys.Sizes.class);
        this.contexts = JsonBinder.FOREIGN.bind(text, ConfigKeys.Contexts.class);
    }

    private static LocatedJson textPart(LocatedJson root) {
        for (String part : TEXT_PARTS) {
            Optional<LocatedJson> found = root.find(part).filter(LocatedJson::isObject);
            if (found.isPresent()) {
                return textPart(found.get());
            }
        }
        return root;
    }

    /**
     * Reads a file.
     *
     * @param name full name of the model
     */
    public static ModelCard read(Path file, String name) throws IOException {
        String fileName = String.valueOf(file.getFileName());
        Path beside = file.resolveSibling(
                fileName.endsWith(CONFIG)
                        ? fileName.substring(0, fileName.length() - CONFIG.length()) + "hf_quant_config.json"
                        : "hf_quant_config.json");
        Optional<LocatedJson> quantisation = Files.isRegularFile(beside) ? Optional.of(json(beside)) : Optional.empty();
        try {
            return new ModelConfig(json(file)).card(name, fileName, quantisation);
        } catch (ArithmeticException e) {
            throw StageException.input(Problem.artifact(file.toString(), "the product of two sizes exceeds 2^31"), e);
        } catch (StageException e) {
            throw JsonLines.located(e, file.toString(), text(file));
        }
    }

    /** Returns the text with null in place of NaN and Infinity, which Python writes and JSON does not have. */
    private static String text(Path file) throws IOException {
        return UNBOUNDED.matcher(InputFile.text(file)).replaceAll("$1null");
    }

    private static LocatedJson json(Path file) throws IOException {
        return Json.parse(text(file), file.toString());
    }

    /** The name of a model if only the file is known: the folder's, or what the file's name begins with. */
    public static String nameOf(Path file) {
        String own = String.valueOf(file.getFileName());
        if (own.endsWith("_" + CONFIG)) {
            return own.substring(0, own.length() - CONFIG.length() - 1);
        }
        Path folder = file.toAbsolutePath().normalize().getParent();
        return folder == null || folder.getFileName() == null
                ? "model"
                : folder.getFileName().toString();
    }

    private int needed(Optional<Integer> found, String... names) {
        if (found.isEmpty()) {
            problems.add(text.problem(names[0] + " is missing")
                    .options(List.of(names))
                    .hint("a card needs it; add it to the file"));
        }
        return found.orElse(1);
    }

    private ModelCard card(String name, String file, Optional<LocatedJson> quantisation) {
        int hidden = needed(sizes.hidden(), "hidden_size", "n_embd", "d_model");
        int vocabulary = needed(sizes.vocabSize(), "vocab_size");
        ExpertReader experts = new ExpertReader(text, family, problems);
        LayerReader reader = new LayerReader(text, family, experts.count().isPresent(), problems);
        List<LayerPlan> layers = reader.read(sizes.layers());
        AttentionReader attention = new AttentionReader(text, family, layers, hidden, problems);
        StateReader states = new StateReader(text, layers, hidden, problems);
        FeedReader feed = new FeedReader(text, family, layers, hidden, problems);
        Map<String, Object> figures = new HashMap<>(general(name, file));
        figures.putAll(Map.of("hiddenSize", hidden, "numLayers", Math.max(1, layers.size()), "vocabSize", vocabulary));
        figures.put("mtpLayers", sizes.predicting());
        figures.putAll(attention.figures(reader.window()));
        figures.putAll(states.figures());
        figures.putAll(feed.figures());
        figures.putAll(experts.figures(layers, feed));
        OtherWeights others = new OtherWeights(text, family, layers, hidden);
        figures.put("otherParams", others.count());
        StageException.refuse(problems);
        counts(layers, figures);
        figures.put("confidence", Confidence.HIGH);
        figures.putAll(new SparseReader(text, layers, hidden, problems).figures(make(figures)));
        StageException.refuse(problems);
        Understanding understanding = new Understanding(root, text, family);
        unmodelled.addAll(understanding.gaps());
        unmodelled.addAll(experts.gaps(layers));
        unmodelled.addAll(others.gaps());
        unmodelled.addAll(attention.gaps());
        unmodelled.addAll(states.gaps());
        if (contexts.longest().isEmpty()) {
            unmodelled.add("config.json states no maximum context length; " + DEFAULT_CONTEXT + " tokens are assumed");
        }
        Quantisation storage = Quantisation.of(root, text, quantisation);
        figures.put("kvCache", storage.kvCache());
        ModelCard unstored = make(figures);
        figures.put("computedParamsB", Optional.of(Math.round(parameters(unstored) / GIGA * 1e3) / 1e3));
        List<Modules.Module> modules = new Modules(unstored, layers, family).list();
        figures.putAll(storage.figures(modules));
        unmodelled.addAll(storage.gaps(modules));
        return judged(figures);
    }

    /** Returns the card; its confidence is low if a run that uses it would warn of more than towers. */
    private ModelCard judged(Map<String, Object> figures) {
        figures.put("towerParamsB", Towers.billions(root));
        figures.put("unmodelled", List.copyOf(unmodelled));
        figures.put("confidence", make(figures).warnings().isEmpty() ? Confidence.HIGH : Confidence.LOW);
        Towers.describe(root).ifPresent(unmodelled::add);
        figures.put("unmodelled", List.copyOf(unmodelled));
        return make(figures);
    }

    private long parameters(ModelCard card) {
        try {
            return card.size().parameters();
        } catch (StageException e) {
            throw StageException.input(text.problem(e.problems().get(0).what()));
        }
    }

    private Map<String, Object> general(String name, String file) {
        return Map.of(
                "name",
                name,
                "family",
                family.name(),
                "mlpMatrices",
                family.has(Trait.PLAIN) ? 2 : 3,
                "postAttentionNorm",
                !isParallel(),
                "maxPosition",
                contexts.longest().orElse(DEFAULT_CONTEXT),
                "tieEmbeddings",
                isTied(),
                "publishedParamsB",
                SizeInName.of(name),
                "source",
                file + " of " + name);
    }

    private ModelCard make(Map<String, Object> figures) {
        try {
            return KeyRecord.of(ModelCard.class, figures);
        } catch (IllegalArgumentException e) {
            throw StageException.input(text.problem(String.valueOf(e.getMessage())));
        }
    }

    /** Numbers of layers of each kind, where not every layer has both parts. */
    private static void counts(List<LayerPlan> layers, Map<String, Object> figures) {
        int attention = 0;
        int states = 0;
        int feed = 0;
        for (LayerPlan layer : layers) {
            attention += layer.mixer().isAttention() ? 1 : 0;
            states += layer.mixer() == Mixer.STATE ? 1 : 0;
            feed += layer.feed() == Feed.DENSE || layer.feed() == Feed.EXPERTS ? 1 : 0;
        }
        if (attention + states != layers.size()) {
            figures.put("attentionLayers", Optional.of(attention));
        }
        if (feed != layers.size()) {
            figures.put("ffnLayers", Optional.of(feed));
        }
        if (states > 0) {
            figures.put("stateLayers", Optional.of(states));
        }
    }

    private boolean isParallel() {
        return text.find("parallel_attn")
                .or(() -> text.find("use_parallel_residual"))
                .map(LocatedJson::asBool)
                .orElse(family.has(Trait.PARALLEL));
    }

    private boolean isTied() {
        return root.find("tie_word_embeddings")
                .map(LocatedJson::asBool)
                .or(sizes::tieWordEmbeddings)
                .orElse(family.has(Trait.TIED));
    }
}
