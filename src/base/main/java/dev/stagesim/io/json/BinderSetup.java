package dev.stagesim.io.json;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedClass;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import dev.stagesim.contract.Member;
import dev.stagesim.model.KeyNames;
import java.io.IOException;
import java.util.Optional;
import java.util.stream.Stream;

/** Configures Jackson for {@link JsonBinder}: no silent conversions, and the product's member names. */
final class BinderSetup {
    /** Name of the member with the document version. A reader with an attribute of this name skips the member. */
    static final String VERSION = "schema_version";

    private BinderSetup() {}

    static ObjectReader reader(boolean refusesUnknown, boolean requiresOptional) {
        JsonFactory factory = JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
                .configure(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS, !refusesUnknown)
                .build();
        return JsonMapper.builder(factory)
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, refusesUnknown)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .withCoercionConfig(LogicalType.Textual, textual -> textual.setCoercion(
                                CoercionInputShape.Integer, CoercionAction.Fail)
                        .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                        .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
                .visibility(PropertyAccessor.ALL, Visibility.NONE)
                .visibility(PropertyAccessor.CREATOR, Visibility.ANY)
                .annotationIntrospector(new Components(requiresOptional))
                .propertyNamingStrategy(new SnakeCase())
                .addModule(ValueReaders.module())
                .addHandler(new VersionHandler())
                .build()
                .reader();
    }

    /** Names members as {@link RecordJson} does. */
    private static final class SnakeCase extends PropertyNamingStrategies.NamingBase {
        private static final long serialVersionUID = 1L;

        @Override
        public String translate(String name) {
            return KeyNames.snake(name);
        }
    }

    /** Requires all components except optional ones, and writes enum constants in lower case. */
    private static final class Components extends JacksonAnnotationIntrospector {
        private static final long serialVersionUID = 1L;
        private final boolean requiresOptional;

        Components(boolean requiresOptional) {
            this.requiresOptional = requiresOptional;
        }

        @Override
        public Boolean hasRequiredMarker(AnnotatedMember member) {
            return member.getRawType() != Optional.class || (requiresOptional && !isLeftOut(member));
        }

        @Override
        public JsonSetter.Value findSetterInfo(Annotated member) {
            JavaType content = member.getType();
            while (content.isContainerType()) {
                content = content.getContentType();
            }
            return JsonSetter.Value.construct(nulls(member.getType()), nulls(content));
        }

        private static Nulls nulls(JavaType type) {
            return type.hasRawClass(Optional.class) || type.hasRawClass(JsonValue.class) ? Nulls.SET : Nulls.FAIL;
        }

        @Override
        public String[] findEnumValues(
                MapperConfig<?> config, AnnotatedClass type, Enum<?>[] constants, String[] names) {
            return Stream.of(constants).map(KeyNames::constant).toArray(String[]::new);
        }

        private static boolean isLeftOut(AnnotatedMember member) {
            if (!(member instanceof AnnotatedParameter parameter)
                    || !member.getDeclaringClass().isRecord()) {
                return true;
            }
            Member declared = member.getDeclaringClass()
                    .getRecordComponents()[parameter.getIndex()]
                    .getAnnotation(Member.class);
            return declared != null && declared.isLeftOut();
        }
    }

    /** Skips the version member of a versioned document. */
    private static final class VersionHandler extends DeserializationProblemHandler {
        @Override
        public boolean handleUnknownProperty(
                DeserializationContext context, JsonParser parser, JsonDeserializer<?> reader, Object bean, String name)
                throws IOException {
            boolean isVersion = name.equals(VERSION)
                    && parser.getParsingContext().getParent().inRoot()
                    && context.getAttribute(VERSION) != null;
            if (isVersion) {
                parser.skipChildren();
            }
            return isVersion;
        }
    }
}
