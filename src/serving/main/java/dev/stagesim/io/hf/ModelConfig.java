package dev.stagesim.io.hf;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.hf.Family.Trait;
import dev.stagesim.io.hf.LayerPlan.Feed;
import dev.stagesim.io.hf.LayerPlan.Mixer;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonLines;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.Confidence;
import dev.stagesim.model.card.ModelCard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Creates a model card from {@code config.json} and the {@code hf_quant_config.json} in the same directory.
 *
 * <p>Values that the family defines are derived; all other missing values are reported at once. An unknown family or
 * key lowers the confidence of the card and adds a warning to every run.
 */
public final class ModelConfig {
    private static final double GIGA = 1e9;
    private static final int DEFAULT_CONTEXT = 131_072;
    static final String REQUIRED = "a card needs it; add it to the file";
    private static final String CONFIG = "config.json";

    /** Names of unsupported architectures with recurrent layers. */
    private static final Pattern RECURRENT =
            Pattern.compile(".*(mamba|rwkv|retnet|xlstm|hyena|zamba|recurrent_gemma|falcon_h1).*");

    /** Keys of recurrent layers in files that have no attention heads. */
    private static final Pattern STATE_KEY =
            Pattern.compile(".*(mamba|rwkv|retnet|xlstm|hyena|ssm|state_size|d_state|time_step).*");

    private static final Pattern UNBOUNDED = Pattern.compile("([\\[,:]\\s*)-?(Infinity|NaN)\\b");
    private static final List<String> TEXT_PARTS =
            List.of("text_config", "llm_config", "language_config", "thinker_config");

    private final LocatedJson root;
    private final LocatedJson text;
    private final Family family;
    private final List<Problem> problems = new ArrayList<>();
    private final List<String> unmodelled = new ArrayList<>();

    private ModelConfig(LocatedJson root) {
        this.root = root;
        this.text = textPart(root);
        KeyRanges.check(text, problems);
        Contradictions.refuseEncoders(root, text, problems);
        StageException.refuse(problems);
        this.family = Family.of(root, text);
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
        Path beside = quantisationFile(file);
        Optional<LocatedJson> quantisation = Files.isRegularFile(beside) ? Optional.of(json(beside)) : Optional.empty();
        try {
            return new ModelConfig(json(file)).card(name, fileName, quantisation);
        } catch (ArithmeticException e) {
            throw StageException.input(Problem.artifact(file.toString(), "the product of two sizes exceeds 2^31"), e);
        } catch (StageException e) {
            throw JsonLines.located(e, file.toString(), text(file));
        }
    }

    /** Returns the file beside config.json that states the quantization; it need not exist. */
    public static Path quantisationFile(Path file) {
        String fileName = String.valueOf(file.getFileName());
        return file.resolveSibling(
                fileName.endsWith(CONFIG)
                        ? fileName.substring(0, fileName.length() - CONFIG.length()) + "hf_quant_config.json"
                        : "hf_quant_config.json");
    }

    /** Returns the text with NaN and Infinity, which Python writes, replaced by null. */
    private static String text(Path file) throws IOException {
        return UNBOUNDED.matcher(InputFile.text(file)).replaceAll("$1null");
    }

    private static LocatedJson json(Path file) throws IOException {
        return Json.parse(text(file), file.toString());
    }

    /** Returns the name of a model without a given name: the name of the folder, or the prefix of the file name. */
    public static String nameOf(Path file) {
        String fileName = String.valueOf(file.getFileName());
        if (fileName.endsWith("_" + CONFIG)) {
            return fileName.substring(0, fileName.length() - CONFIG.length() - 1);
        }
        Path folder = file.toAbsolutePath().normalize().getParent();
        return folder == null || folder.getFileName() == null
                ? "model"
                : folder.getFileName().toString();
    }

    /**
     * Rejects an unknown family with recurrent layers, such as Mamba, RWKV or Zamba.
     *
     * @param key keys of recurrent layers that are not read
     */
    private void refuseRecurrent(Predicate<String> key) {
        if (!family.isKnown()
                && (RECURRENT.matcher(family.name()).matches()
                        || text.members().keySet().stream().anyMatch(key))) {
            throw StageException.input(text.problem("the architecture " + family.name()
                            + " is not supported: its recurrent layers are not known")
                    .hint("supported families with recurrent layers: " + String.join(", ", Family.recurrent())));
        }
    }

    private ModelCard card(String name, String file, Optional<LocatedJson> quantisation) {
        boolean hasHeads = IntegerKey.HEADS.in(text).isPresent();
        refuseRecurrent(key -> !hasHeads && STATE_KEY.matcher(key).matches());
        int hidden = IntegerKey.HIDDEN.required(text, problems, REQUIRED);
        int vocabulary = IntegerKey.VOCABULARY.required(text, problems, REQUIRED);
        ExpertReader experts = new ExpertReader(text, family, problems);
        LayerReader reader = new LayerReader(text, family, experts.count().isPresent(), problems);
        List<LayerPlan> layers = reader.read(IntegerKey.LAYERS.in(text));
        boolean hasState = layers.stream().anyMatch(layer -> layer.mixer() == LayerPlan.Mixer.STATE);
        refuseRecurrent(key -> !hasState && key.startsWith("mamba"));
        AttentionReader attention = new AttentionReader(text, family, layers, hidden, problems);
        StateReader states = new StateReader(text, layers, hidden, problems);
        FeedReader feed = new FeedReader(text, family, layers, hidden, problems);
        Map<String, Object> components = new HashMap<>(general(name, file));
        components.putAll(
                Map.of("hiddenSize", hidden, "numLayers", Math.max(1, layers.size()), "vocabSize", vocabulary));
        components.put("mtpLayers", IntegerKey.PREDICTING_LAYERS.in(text));
        components.putAll(attention.components(reader.window()));
        components.putAll(states.components());
        components.putAll(feed.components());
        components.putAll(experts.components(layers, feed));
        OtherWeights others = new OtherWeights(text, family, layers, hidden);
        components.put("otherParams", others.count());
        StageException.refuse(problems);
        counts(layers, components);
        components.put("confidence", Confidence.HIGH);
        components.putAll(new SparseReader(text, layers, hidden, problems).components(make(components)));
        StageException.refuse(problems);
        UnsupportedConfig understanding = new UnsupportedConfig(root, text, family);
        unmodelled.addAll(understanding.limitations());
        unmodelled.addAll(new Contradictions(root, text, family).limitations());
        unmodelled.addAll(reader.limitations());
        unmodelled.addAll(experts.limitations(layers));
        unmodelled.addAll(others.limitations());
        unmodelled.addAll(attention.limitations());
        unmodelled.addAll(states.limitations());
        if (IntegerKey.CONTEXT.in(text).isEmpty() && stretched().isEmpty()) {
            unmodelled.add("config.json states no maximum context length; " + DEFAULT_CONTEXT + " tokens are assumed");
        }
        return stored(components, layers, Quantisation.of(root, text, quantisation));
    }

    /** Returns the card with the parameters and the number formats of its parts. */
    private ModelCard stored(Map<String, Object> components, List<LayerPlan> layers, Quantisation storage) {
        components.put("kvCache", storage.kvCache());
        ModelCard plainCard = make(components);
        components.put("computedParamsB", Optional.of(Math.round(parameters(plainCard) / GIGA * 1e3) / 1e3));
        List<Modules.Module> modules = new Modules(plainCard, layers, family).list();
        components.putAll(storage.components(modules));
        unmodelled.addAll(storage.limitations(modules));
        return withConfidence(components);
    }

    /** Returns the card. Its confidence is low if it causes warnings other than the one about towers. */
    private ModelCard withConfidence(Map<String, Object> components) {
        components.put("towerParamsB", Towers.billions(root));
        components.put("unmodelled", List.copyOf(unmodelled));
        components.put("confidence", make(components).warnings().isEmpty() ? Confidence.HIGH : Confidence.LOW);
        Towers.describe(root).ifPresent(unmodelled::add);
        components.put("unmodelled", List.copyOf(unmodelled));
        return make(components);
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
                stretched().or(() -> IntegerKey.CONTEXT.in(text)).orElse(DEFAULT_CONTEXT),
                "tieEmbeddings",
                isTied(),
                "publishedParamsB",
                SizeInName.of(name),
                "source",
                file + " of " + name);
    }

    /** Returns the context length of YaRN, as engines derive it: the original length times the factor. */
    private Optional<Integer> stretched() {
        LocatedJson rope = text.find("rope_scaling")
                .or(() -> text.find("rope_parameters"))
                .filter(LocatedJson::isObject)
                .orElse(text);
        Optional<LocatedJson> factor = rope.find("factor").filter(LocatedJson::isNumber);
        Optional<LocatedJson> original =
                rope.find("original_max_position_embeddings").filter(LocatedJson::isNumber);
        boolean isYarn = rope.text("rope_type", rope.text("type", "")).equals("yarn");
        return isYarn && factor.isPresent() && original.isPresent()
                ? Optional.of(Math.toIntExact(
                        Math.round(factor.get().asDouble() * original.get().asDouble())))
                : Optional.empty();
    }

    private ModelCard make(Map<String, Object> components) {
        try {
            return KeyRecord.of(ModelCard.class, components);
        } catch (IllegalArgumentException e) {
            throw StageException.input(text.problem(String.valueOf(e.getMessage())));
        }
    }

    /** Sets the numbers of layers of each kind if not every layer has both parts. */
    private static void counts(List<LayerPlan> layers, Map<String, Object> components) {
        int attention = 0;
        int states = 0;
        int feed = 0;
        for (LayerPlan layer : layers) {
            attention += layer.mixer().isAttention() ? 1 : 0;
            states += layer.mixer() == Mixer.STATE ? 1 : 0;
            feed += layer.feed() == Feed.DENSE || layer.feed() == Feed.EXPERTS ? 1 : 0;
        }
        if (attention + states != layers.size()) {
            components.put("attentionLayers", Optional.of(attention));
        }
        if (feed != layers.size()) {
            components.put("ffnLayers", Optional.of(feed));
        }
        if (states > 0) {
            components.put("stateLayers", Optional.of(states));
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
                .or(() -> text.find("tie_word_embeddings"))
                .map(LocatedJson::asBool)
                .orElse(family.has(Trait.TIED));
    }
}
