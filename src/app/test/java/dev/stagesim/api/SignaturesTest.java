package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Executable;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A program compiled against one version links with the next. */
final class SignaturesTest {
    private static final Path KEPT =
            Path.of(System.getProperty("stagesim.home", "")).resolve("src/app/test/resources/api/signatures.txt");

    private static Stream<String> of(Class<?> type) {
        Stream<Executable> members =
                Stream.concat(Arrays.stream(type.getDeclaredMethods()), Arrays.stream(type.getDeclaredConstructors()));
        return Stream.concat(
                Stream.of(type.toGenericString()),
                members.filter(SignaturesTest::isOpen).map(Executable::toGenericString));
    }

    private static boolean isOpen(Member member) {
        boolean isOwn = !(member instanceof Method method) || !method.isSynthetic();
        return isOwn && (member.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
    }

    /** No public member is removed. {@code -Dstagesim.update} adds new ones. */
    @Test
    void keepsAllPublicMembers() throws Exception {
        List<String> now = Stream.of(Stagesim.class, Run.class, Table.class)
                .flatMap(SignaturesTest::of)
                .sorted()
                .toList();
        List<String> kept = Files.exists(KEPT) ? Files.readAllLines(KEPT) : List.of();
        assertThat(now).as("a line of %s is gone", KEPT).containsAll(kept);
        if (System.getProperty("stagesim.update") != null) {
            Files.write(KEPT, now);
        } else {
            assertThat(kept).isEqualTo(now);
        }
    }

    @Test
    void checksAllTypesOfThePackage() throws Exception {
        Path sources = Path.of(System.getProperty("stagesim.home", "")).resolve("src/app/main/java/dev/stagesim/api");
        try (Stream<Path> files = Files.list(sources)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "Stagesim.java", "Run.java", "Table.java", "ArgumentCheck.java", "package-info.java");
        }
    }
}
