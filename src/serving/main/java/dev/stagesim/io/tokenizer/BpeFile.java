package dev.stagesim.io.tokenizer;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Reads the byte-level BPE part of a Hugging Face {@code tokenizer.json}: normalizer (none, NFC or NFKC), split
 * patterns, and merges.
 *
 * <p>Unsupported elements are errors, because a wrong token count is worse than none.
 */
final class BpeFile {
    /** Pattern of GPT-2, the default of the ByteLevel pre-tokenizer. */
    private static final String GPT2_PATTERN =
            "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

    private final List<Pattern> splits = new ArrayList<>();
    private boolean byteLevel;
    private boolean prefixSpace;

    private BpeFile() {}

    static Tokenizer read(Path file) throws IOException {
        LocatedJson root = Json.read(file);
        LocatedJson model = root.get("model");
        Optional<String> type = model.find("type").map(LocatedJson::asString);
        if (type.isPresent() && !type.get().equals("BPE")) {
            throw model.get("type").expected("BPE");
        }
        BpeFile parts = new BpeFile();
        parts.preTokenizer(root);
        boolean wholeWords = model.flag("ignore_merges");
        ByteLevelBpe bpe = new ByteLevelBpe(
                vocabulary(model.get("vocab")),
                merges(model.get("merges")),
                parts.splits,
                parts.prefixSpace,
                wholeWords);
        Optional<Normalizer.Form> form = normalizer(root);
        return form.isEmpty() ? bpe : text -> bpe.count(Normalizer.normalize(text, form.get()));
    }

    private static Map<String, Integer> vocabulary(LocatedJson vocab) {
        Map<String, Integer> ids = new HashMap<>();
        vocab.members().forEach((token, id) -> ids.put(token, id.asInt()));
        return ids;
    }

    /** Returns the ranks of merges with keys {@code left right}; newer files write pairs as arrays. */
    private static Map<String, Integer> merges(LocatedJson merges) {
        Map<String, Integer> ranks = new HashMap<>();
        for (LocatedJson merge : merges.items()) {
            String key = merge.isArray() ? String.join(" ", merge.asStrings()) : merge.asString();
            ranks.put(key, ranks.size());
        }
        return ranks;
    }

    private static Optional<Normalizer.Form> normalizer(LocatedJson root) {
        return root.find("normalizer").map(normalizer -> {
            LocatedJson type = normalizer.get("type");
            return switch (type.asString()) {
                case "NFC" -> Normalizer.Form.NFC;
                case "NFKC" -> Normalizer.Form.NFKC;
                default -> throw type.expected("NFC or NFKC; other normalizers are not supported");
            };
        });
    }

    private void preTokenizer(LocatedJson root) {
        LocatedJson first = root.get("pre_tokenizer");
        if (first.isNull()) {
            throw first.expected("a byte-level pre-tokenizer");
        }
        step(first);
        if (!byteLevel) {
            throw first.expected("a pre-tokenizer with a ByteLevel part; other kinds are not supported");
        }
    }

    private void step(LocatedJson step) {
        LocatedJson type = step.get("type");
        switch (type.asString()) {
            case "Sequence" -> step.get("pretokenizers").items().forEach(this::step);
            case "Split" -> split(step);
            case "Digits" -> splits.add(Pattern.compile(step.flag("individual_digits") ? "\\p{N}" : "\\p{N}+"));
            case "ByteLevel" -> {
                byteLevel = true;
                prefixSpace =
                        step.find("add_prefix_space").map(LocatedJson::asBool).orElse(true);
                if (step.find("use_regex").map(LocatedJson::asBool).orElse(true)) {
                    splits.add(Pattern.compile(GPT2_PATTERN, Pattern.UNICODE_CHARACTER_CLASS));
                }
            }
            default -> throw type.expected("Sequence, Split, Digits or ByteLevel; other kinds are not supported");
        }
    }

    private void split(LocatedJson step) {
        LocatedJson pattern = step.get("pattern");
        LocatedJson behavior = step.get("behavior");
        boolean inverted = step.flag("invert");
        boolean isolated = behavior.asString().equals("Isolated") && !inverted;
        if (!isolated && !(behavior.asString().equals("Removed") && inverted)) {
            throw behavior.expected("Isolated, or Removed with invert");
        }
        LocatedJson text = pattern.has("Regex") ? pattern.get("Regex") : pattern.get("String");
        try {
            String regex = pattern.has("Regex") ? text.asString() : Pattern.quote(text.asString());
            splits.add(Pattern.compile(regex, Pattern.UNICODE_CHARACTER_CLASS));
        } catch (PatternSyntaxException e) {
            throw StageException.input(text.problem("Java does not support the pattern: " + e.getDescription()), e);
        }
    }
}
