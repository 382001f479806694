package dev.stagesim.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** A method fits on a screen. */
class MethodLengthTest {
    private static final long MAX = 45;

    @Test
    void limitsTheLengthOfMethods() throws IOException {
        try (StandardJavaFileManager manager =
                ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null)) {
            Map<String, Long> lengths = MethodLengths.of(manager.getJavaFileObjectsFromPaths(Product.sources().stream()
                    .filter(file -> !file.startsWith(Product.HOME.resolve("src/verify")))
                    .toList()));
            assertThat(lengths).hasSizeGreaterThan(1000);
            assertThat(lengths.entrySet())
                    .as("methods of more than %d lines", MAX)
                    .filteredOn(method -> method.getValue() > MAX)
                    .isEmpty();
        }
    }

    @Test
    void countsFromTheDeclarationToTheBrace() throws IOException {
        String text =
                "class A {\n  /** Doc. */\n  @Deprecated\n  int f() {\n    return 1;\n  }\n  abstract void g();\n}\n";
        JavaFileObject source = new SimpleJavaFileObject(URI.create("string:///A.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreErrors) {
                return text;
            }
        };
        assertThat(MethodLengths.of(List.of(source))).containsExactly(Map.entry("/A.java:3 f", 4L));
    }
}
