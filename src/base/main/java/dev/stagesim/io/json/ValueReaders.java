package dev.stagesim.io.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.deser.ContextualDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads types that Jackson does not support, and integers as strictly as {@link LocatedJson}. */
final class ValueReaders {
    private static final double MAX_EXACT = 0x1p53;

    private ValueReaders() {}

    static SimpleModule module() {
        return new SimpleModule()
                .addDeserializer(Optional.class, new OptionalReader(null))
                .addDeserializer(JsonValue.class, new JsonReader<>(JsonValue.class))
                .addDeserializer(JsonValue.Obj.class, new JsonReader<>(JsonValue.Obj.class))
                .addDeserializer(long.class, new IntegerReader<>(long.class))
                .addDeserializer(Long.class, new IntegerReader<>(Long.class))
                .addDeserializer(int.class, new IntegerReader<>(int.class))
                .addDeserializer(Integer.class, new IntegerReader<>(Integer.class));
    }

    /** Reads null as an empty optional. */
    private static final class OptionalReader extends StdDeserializer<Optional<?>> implements ContextualDeserializer {
        private static final long serialVersionUID = 1L;
        private final transient @Nullable JsonDeserializer<?> value;

        OptionalReader(@Nullable JsonDeserializer<?> value) {
            super(Optional.class);
            this.value = value;
        }

        @Override
        public JsonDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property)
                throws JsonMappingException {
            JavaType type = context.getContextualType().containedType(0);
            return new OptionalReader(context.findContextualValueDeserializer(type, property));
        }

        @Override
        public Optional<?> deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return Optional.of(Objects.requireNonNull(value, "not contextual").deserialize(parser, context));
        }

        @Override
        public Optional<?> getNullValue(DeserializationContext context) {
            return Optional.empty();
        }
    }

    private static final class JsonReader<T extends JsonValue> extends StdDeserializer<T> {
        private static final long serialVersionUID = 1L;
        private final Class<T> type;

        JsonReader(Class<T> type) {
            super(type);
            this.type = type;
        }

        @Override
        public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            boolean fits = type == JsonValue.class || parser.isExpectedStartObjectToken();
            return type.cast(fits ? JsonTokens.read(parser) : context.handleUnexpectedToken(type, parser));
        }

        @Override
        public @Nullable T getNullValue(DeserializationContext context) {
            return type == JsonValue.class ? type.cast(JsonValue.NULL) : null;
        }
    }

    /** Reads an integer. A real without a fraction, such as {@code 374.0}, is accepted. */
    private static final class IntegerReader<T> extends StdDeserializer<T> {
        private static final long serialVersionUID = 1L;
        private final Class<T> type;

        IntegerReader(Class<T> type) {
            super(type);
            this.type = type;
        }

        private static boolean isInteger(JsonParser parser) throws IOException {
            return parser.hasToken(JsonToken.VALUE_NUMBER_INT)
                    && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
        }

        @Override
        @SuppressWarnings("unchecked") // a primitive type has no cast
        public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            boolean isLong = type == long.class || type == Long.class;
            double real = parser.hasToken(JsonToken.VALUE_NUMBER_FLOAT) ? parser.getDoubleValue() : Double.NaN;
            boolean isWhole = real == Math.rint(real) && Math.abs(real) < MAX_EXACT;
            if (isWhole || isInteger(parser)) {
                long number = isWhole ? (long) real : parser.getLongValue();
                if (isLong || number == (int) number) {
                    return (T) (isLong ? (Object) number : (int) number);
                }
            }
            return (T) context.handleUnexpectedToken(type, parser);
        }
    }
}
