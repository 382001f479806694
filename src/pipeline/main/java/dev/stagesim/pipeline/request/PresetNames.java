package dev.stagesim.pipeline.request;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Replaces names of models, devices, engines and precisions that vendors and users write by the options of the configuration groups:
 * {@code Qwen/Qwen3-32B}, a folder with {@code config.json}, {@code NVIDIA H100 80GB HBM3}, {@code vllm}. A name of an
 * option is never replaced.
 */
final class PresetNames {
    /** An owner and a name as on Hugging Face. */
    private static final Pattern NAME = Pattern.compile("[^/\\s]+/[^/\\s]+");

    private static final Pattern WORD = Pattern.compile(
            "(model|hardware|engine|(?:\\w+\\.)+(?:engine|engines))=\\s*([\"']?)(.*?)\\2\\s*", Pattern.DOTALL);
    private static final Pattern OPTIONS = Pattern.compile("(\\w+)=\\s*\\[([^\\[\\]]+,[^\\[\\]]+)]\\s*");
    private static final Pattern PATH = Pattern.compile("[./~].*|.*\\.json", Pattern.DOTALL);
    private static final Pattern LIST_ITEM = Pattern.compile("[^\\[\\],\\s\"']+");
    private static final Pattern SEPARATOR = Pattern.compile("[^a-z0-9]+");
    private static final Pattern VERSION = Pattern.compile("_v(\\d+)");
    private static final Pattern SXM = Pattern.compile("sxm\\d");
    private static final Pattern MEMORY_TYPE = Pattern.compile("hbm\\d?e?|gddr\\d\\w?");

    /** Words of product names that no option contains. */
    private static final Set<String> VENDOR_WORDS = Set.of(
            "nvidia",
            "amd",
            "intel",
            "google",
            "aws",
            "tesla",
            "geforce",
            "instinct",
            "gpu",
            "generation",
            "blackwell",
            "edition");

    /** A system of several devices, such as {@code dgx_h100}, {@code 8xh100} or {@code h100_8x}. */
    private static final Pattern SYSTEM =
            Pattern.compile("(?:dgx|hgx)_?|(?<![a-z\\d])\\d+x_?(?=[a-z])|_?(?:x\\d+|(?<=_)\\d+x)$");

    private static final Consumer<String> IGNORE = text -> {};

    private final Function<String, List<String>> options;
    private final Path work;

    /** Models of measured files by the arguments that select them, so that a large file is read once for all jobs. */
    private final Map<List<String>, Optional<String>> measured = new ConcurrentHashMap<>();

    /**
     * Creates a translator.
     *
     * @param options returns the options of a configuration group
     * @param work directory that relative paths start from
     */
    PresetNames(Function<String, List<String>> options, Path work) {
        this.options = options;
        this.work = work;
    }

    /**
     * Returns the overrides with the names of options.
     *
     * @param notice receives the option that replaces a name without an equal option
     */
    List<String> expand(List<String> words, Consumer<String> notice) {
        return words.stream().map(word -> expand(word, notice)).toList();
    }

    /** Returns the overrides with the preset of the model that a measured file names, if they choose no model. */
    List<String> measured(List<String> words, Consumer<String> notice) {
        Optional<String> preset = measuredModel(words).flatMap(name -> Optional.of(name)
                .filter(options.apply("model")::contains)
                .or(() -> sameWords("model", name))
                .or(() -> sameWords("model", name.substring(name.lastIndexOf('/') + 1)))
                .or(() -> abbreviated(name.substring(name.lastIndexOf('/') + 1), IGNORE)));
        if (preset.isEmpty()) {
            return words;
        }
        notice.accept("model=" + preset.get() + " is the model that real.file names");
        return Stream.concat(words.stream(), Stream.of("model=" + preset.get())).toList();
    }

    private Optional<String> measuredModel(List<String> words) {
        List<String> selecting = MeasuredModel.selecting(words);
        return measured.computeIfAbsent(selecting, any -> MeasuredModel.in(selecting, work));
    }

    /**
     * Rejects a list of options of a group, because the cards would be merged into one.
     *
     * @throws StageException (input) with the sweep to use
     */
    private void refuseList(String word) {
        Matcher list = OPTIONS.matcher(word);
        if (list.matches() && !options.apply(list.group(1)).isEmpty()) {
            String items = list.group(2).replaceAll("[\\s\"']", "");
            throw StageException.input(Problem.usage(
                            word,
                            "is a list, but a run has one " + list.group(1).replace('_', ' '))
                    .hint("run each of them: -m " + list.group(1) + "=" + items));
        }
    }

    private String expand(String word, Consumer<String> notice) {
        refuseList(word);
        Matcher parts = WORD.matcher(word);
        if (!parts.matches()) {
            return PrecisionNames.expand(word, notice);
        }
        String key = parts.group(1);
        String value = parts.group(3);
        if (options.apply(key).contains(value)) {
            return word;
        }
        return switch (key) {
            case "model" -> model(word, value, notice).orElse(word);
            case "hardware" ->
                hardware(word, value)
                        .or(() -> deviceOf(word, value, notice))
                        .map(key("hardware"))
                        .orElse(word);
            case "engine" -> engine(value).map(key("engine")).orElse(word);
            default ->
                key + "="
                        + LIST_ITEM.matcher(word.substring(key.length() + 1)).replaceAll(item -> engine(item.group())
                                .orElse(item.group()));
        };
    }

    private static Function<String, String> key(String group) {
        return option -> group + "=" + option;
    }

    /**
     * Returns the override for a file of a model, or for the preset with this name.
     *
     * @throws StageException (input) if a path leads to no file
     */
    private Optional<String> model(String word, String value, Consumer<String> notice) {
        Optional<String> found = file(value)
                .map(file -> "model.hf_config='" + file.replace("\\", "\\\\").replace("'", "\\'") + "'")
                .or(() -> sameWords("model", value)
                        .or(() -> abbreviated(value, notice))
                        .map(key("model")));
        boolean isNested =
                options.apply("model").stream().anyMatch(option -> option.startsWith(value.replaceFirst("/.*", "/")));
        boolean isName = NAME.matcher(value).matches();
        if (found.isEmpty() && isName && !isNested && !PATH.matcher(value).matches()) {
            throw StageException.input(Problem.config(word, "no preset has this name, and there is no such folder")
                    .didYouMean(Suggest.near(String.join("_", words(value)), options.apply("model")))
                    .hint("download its config.json and set model=path/config.json, or make a preset of it with stage"
                            + " model import config.json"));
        }
        if (found.isEmpty() && PATH.matcher(value).matches()) {
            throw StageException.input(Problem.config(word, "the file does not exist")
                    .note("file", work.resolve(value).normalize().toString())
                    .note("expected", "config.json of a model as Hugging Face publishes it, or its folder"));
        }
        return found;
    }

    private Optional<String> file(String value) {
        if (value.isBlank()) {
            return Optional.empty();
        }
        String inFolder = value.replaceFirst("/+$", "") + "/config.json";
        boolean isPath = value.contains("/") || value.endsWith(".json");
        return (isPath ? Stream.of(value, inFolder) : Stream.of(inFolder))
                .filter(file -> Files.isRegularFile(work.resolve(file)))
                .findFirst();
    }

    /** Returns the option with these words, such as qwen_qwen3_32b for Qwen/Qwen3-32B. */
    private Optional<String> sameWords(String group, String value) {
        String name = String.join("_", words(value));
        return Optional.of(name).filter(options.apply(group)::contains).or(() -> options.apply(group).stream()
                .filter(option -> letters(option).equals(letters(name)))
                .findFirst());
    }

    /** Returns the only preset of a model that begins with these words, or else the only one that ends with them. */
    private Optional<String> abbreviated(String value, Consumer<String> notice) {
        String name = letters(String.join("_", words(value)));
        List<String> known = options.apply("model");
        List<String> longer = known.stream()
                .filter(option -> letters(option).startsWith(name + "_"))
                .toList();
        List<String> found = !longer.isEmpty()
                ? longer
                : known.stream()
                        .filter(option -> letters(option).endsWith("_" + name))
                        .toList();
        if (name.isEmpty() || found.size() != 1) {
            return Optional.empty();
        }
        notice.accept("model=" + value + " is read as model=" + found.get(0));
        return Optional.of(found.get(0));
    }

    /** Returns the device of a system that is named with its devices. */
    private Optional<String> deviceOf(String override, String value, Consumer<String> notice) {
        String name = String.join("_", words(value));
        String device = SYSTEM.matcher(name).replaceAll("");
        Optional<String> found = device.equals(name) ? Optional.empty() : hardware(override, device);
        found.ifPresent(option -> notice.accept("hardware=" + value + " is read as hardware=" + option
                + ", one device of the system; tp and the numbers of devices and copies count devices"));
        return found;
    }

    /** Returns the option that differs only in separators, such as rtx_4090 for rtx4090. */
    private static Optional<String> sameLetters(List<String> known, String value) {
        String joined = String.join("", words(value));
        return known.stream()
                .filter(option -> option.replace("_", "").equals(joined))
                .findFirst();
    }

    /** Separates letters from digits, so that llama_3_1_8b equals llama3_1_8b and differs from llama3_18b. */
    private static String letters(String name) {
        return name.replaceAll("(?<=[a-z])(?=\\d)", "_");
    }

    private static List<String> words(String value) {
        return Arrays.stream(SEPARATOR.split(value.toLowerCase(Locale.ROOT)))
                .filter(word -> !word.isEmpty())
                .toList();
    }

    /**
     * Returns the device with the words of a product name. Options with further words match if the name has several words.
     *
     * @throws StageException (input) if several devices match
     */
    private Optional<String> hardware(String override, String value) {
        Set<String> wanted = deviceWords(value);
        List<String> known = options.apply("hardware");
        Optional<String> same = known.stream()
                .filter(option -> deviceWords(option).equals(wanted))
                .findFirst()
                .or(() -> sameLetters(
                        known,
                        String.join(
                                "",
                                words(value).stream()
                                        .filter(word -> !VENDOR_WORDS.contains(word))
                                        .toList())));
        if (same.isPresent() || wanted.size() < 2) {
            return same;
        }
        List<String> candidates = known.stream()
                .filter(option -> deviceWords(option).containsAll(wanted))
                .toList();
        if (candidates.size() > 1) {
            throw StageException.input(Problem.config(override, "is the name of " + candidates.size() + " devices")
                    .options(candidates)
                    .hint("set hardware=" + candidates.get(candidates.size() - 1)));
        }
        return candidates.stream().findFirst();
    }

    private static Set<String> deviceWords(String value) {
        Set<String> words = words(value).stream()
                .map(word -> SXM.matcher(word).replaceAll("sxm"))
                .filter(word -> !VENDOR_WORDS.contains(word))
                .collect(Collectors.toCollection(HashSet::new));
        if (words.contains("h100") && words.contains("80gb")) {
            // the driver names the form of an H100 with 80 GB by its memory only
            words.addAll(words.contains("hbm3") ? Set.of("sxm") : words.contains("hbm2e") ? Set.of("pcie") : Set.of());
        }
        words.removeIf(word -> MEMORY_TYPE.matcher(word).matches());
        return words;
    }

    /** Returns the newest card of a family of engines, such as vllm_v1 for vllm. */
    private Optional<String> engine(String value) {
        String family = String.join("_", words(value)).replaceFirst("^(tensor_?rt|trt)_?llm", "trtllm");
        List<String> known = options.apply("engine");
        if (known.contains(family)) {
            return Optional.of(family);
        }
        return known.stream()
                .filter(option -> !family.isEmpty()
                        && option.startsWith(family)
                        && VERSION.matcher(option.substring(family.length())).matches())
                .max(Comparator.comparing(option -> Integer.parseInt(option.substring(family.length() + 2))));
    }
}
