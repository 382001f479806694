package dev.stagesim.config.bind;

import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Variant;
import dev.stagesim.model.VariantKey;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds keys that are set but have no effect, according to their {@link OnlyIf} declarations. */
public final class Conditions {
    /** A record component, its key, and its condition (null if unconditional). */
    private record Part(String key, RecordComponent component, @Nullable Condition condition) {}

    private static final ClassValue<List<Part>> PARTS = new ClassValue<>() {
        @Override
        protected List<Part> computeValue(Class<?> type) {
            List<Part> parts = new ArrayList<>();
            for (RecordComponent component : KeyRecord.components(type)) {
                OnlyIf declared = component.getAnnotation(OnlyIf.class);
                Condition condition = declared == null ? null : Condition.of(declared);
                parts.add(new Part(KeyNames.snake(component.getName()), component, condition));
            }
            return parts;
        }
    };

    private final Record root;
    private final List<Problem> problems = new ArrayList<>();

    private Conditions(Record root) {
        this.root = root;
    }

    /** Returns one problem for each key of the settings that has no effect. */
    public static List<Problem> problems(Record settings) {
        Conditions check = new Conditions(settings);
        check.checkNested("", settings);
        return check.problems;
    }

    private void checkNested(String path, Object value) {
        if (value instanceof Optional<?> maybe) {
            maybe.ifPresent(inner -> checkNested(path, inner));
        } else if (value instanceof List<?> items) {
            for (int i = 0; i < items.size(); i++) {
                checkNested(KeyNames.join(path, Integer.toString(i)), items.get(i));
            }
        } else if (value instanceof Map<?, ?> entries) {
            entries.forEach((name, inner) -> checkNested(KeyNames.join(path, (String) name), inner));
        } else if (value instanceof Record section) {
            for (Part part : PARTS.get(section.getClass())) {
                checkKey(KeyNames.join(path, part.key()), section, part);
            }
        }
    }

    private void checkKey(String path, Record section, Part part) {
        Object value = KeyRecord.value(part.component(), section);
        Condition condition = part.condition();
        if (condition != null
                && !condition.isMet(section, root)
                && !value.equals(KeyRecord.defaultValue(part.component()))
                && !Condition.text(value).equals(condition.except)) {
            problems.add(Problem.config(path, "has no effect: " + condition.why).hint(condition.hint));
            return;
        }
        checkNested(path, value);
    }

    /** A parsed condition. */
    record Condition(String key, String relation, List<String> values, String except, String why, String hint) {
        static Condition of(OnlyIf declared) {
            String[] parts = declared.value().split(" \\| ", -1);
            String[] words = parts[0].split(" ", 3);
            if (parts.length < 2 || parts.length > 3 || words.length != 3) {
                throw new IllegalStateException("not a condition: " + declared.value());
            }
            return new Condition(
                    words[0],
                    words[1],
                    List.of(words[2].split(", ", -1)),
                    declared.except(),
                    parts[1],
                    parts.length == 3 ? parts[2] : "leave it out");
        }

        boolean isMet(Record section, Record root) {
            Optional<String> found = find(section, key).or(() -> find(root, key));
            return found.isEmpty()
                    || switch (relation) {
                        case "=" -> values.contains(found.get());
                        case "!=" -> !values.contains(found.get());
                        case ">" -> Double.parseDouble(found.get()) > Double.parseDouble(values.get(0));
                        default -> throw new IllegalStateException("unknown relation: " + relation);
                    };
        }

        /** Returns the value at {@code path} as text, or empty if there is no such key. */
        static Optional<String> find(Record section, String path) {
            int dot = path.indexOf('.');
            String name = dot < 0 ? path : path.substring(0, dot);
            for (Part part : PARTS.get(section.getClass())) {
                RecordComponent component = part.component();
                if (part.key().equals(name)) {
                    Object value = KeyRecord.value(component, section);
                    Object bare = value instanceof Optional<?> maybe ? maybe.orElse(null) : value;
                    return dot < 0 || !(bare instanceof Record inner)
                            ? Optional.of(text(bare))
                            : kind(inner, component, path.substring(dot + 1))
                                    .or(() -> find(inner, path.substring(dot + 1)));
                }
            }
            return Optional.empty();
        }

        /** Returns the kind of {@code chosen} if {@code key} is its variant key. */
        private static Optional<String> kind(Record chosen, RecordComponent component, String key) {
            VariantKey named = component.getType().getAnnotation(VariantKey.class);
            boolean isKind = chosen.getClass().isAnnotationPresent(Variant.class)
                    && key.equals(named == null ? Shape.Choice.KIND : named.value());
            return isKind ? Optional.of(KeyRecord.kind(chosen.getClass())) : Optional.empty();
        }

        private static String text(@Nullable Object value) {
            return value instanceof Enum<?> constant ? KeyNames.constant(constant) : String.valueOf(value);
        }
    }
}
