package dev.stagesim.io.times;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.linear.LinearSpec;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** The polynomial of each operator as JSON, with the origin of the training data. */
final class PackedForms implements Packing<Map<Operator, LinearSpec>> {
    @Override
    public String fileName() {
        return "forms.json";
    }

    @Override
    public byte[] pack(String origin, Map<Operator, LinearSpec> forms) {
        JsonValue content = JsonValue.object()
                .put("origin", origin)
                .put("forms", summary(forms))
                .put("digest", digest(origin, summary(forms)))
                .build();
        return Json.pretty(content).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Optional<Map<Operator, LinearSpec>> unpack(String origin, byte[] content) {
        try {
            LocatedJson root = Json.parse(new String(content, StandardCharsets.UTF_8), "forms.json");
            LocatedJson all = root.get("forms");
            if (!root.get("digest").asString().equals(digest(origin, all.value()))) {
                return Optional.empty();
            }
            Map<Operator, LinearSpec> forms = new EnumMap<>(Operator.class);
            for (Operator operator : Operator.values()) {
                all.find(operator.column()).ifPresent(form -> forms.put(operator, form(form)));
            }
            return Optional.of(forms);
        } catch (StageException e) {
            return Optional.empty();
        }
    }

    private static String digest(String origin, JsonValue forms) {
        return ProfileDigest.of(origin + Json.compact(forms));
    }

    private static LinearSpec form(LocatedJson form) {
        return new LinearSpec(
                form.get("fit_intercept").asBool(),
                form.get("polynomial_degree").asInt(),
                form.get("polynomial_include_bias").asBool(),
                form.get("polynomial_interaction_only").asBool());
    }

    @Override
    public JsonValue summary(Map<Operator, LinearSpec> forms) {
        JsonObjectBuilder all = JsonValue.object();
        forms.forEach((operator, form) -> all.put(
                operator.column(),
                JsonValue.object()
                        .put("fit_intercept", form.fitIntercept())
                        .put("polynomial_degree", form.degree())
                        .put("polynomial_include_bias", form.bias())
                        .put("polynomial_interaction_only", form.interactionOnly())
                        .build()));
        return all.build();
    }
}
