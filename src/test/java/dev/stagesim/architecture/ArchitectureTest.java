package dev.stagesim.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keeps the packages pointing one way and the libraries behind their doors. */
class ArchitectureTest {
    private static final String ROOT = "dev.stagesim.";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.stagesim");

    private static final String[] PURE = {ROOT + "sim..", ROOT + "predict..", ROOT + "stats..", ROOT + "model.."};

    static Stream<ArchRule> rules() {
        return Stream.of(
                only("picocli..", ROOT + "cli.."),
                only("com.typesafe.config..", ROOT + "config.."),
                only("com.fasterxml.jackson..", ROOT + "io.json.."),
                only("com.networknt..", ROOT + "io.json.."),
                only("de.siegmar..", ROOT + "io.csv.."),
                only("tech.tablesaw..", ROOT + "io.csv.."),
                only("com.knuddels..", ROOT + "stage.workload..", ROOT + "io.."),
                only("java.net.http..", ROOT + "bench.."),
                pointsOnlyTo("model"),
                pointsOnlyTo("contract", "model"),
                pointsOnlyTo("settings", "model"),
                pointsOnlyTo("stats", "model"),
                pointsOnlyTo("predict", "model"),
                pointsOnlyTo("sim", "model", "predict", "stats"),
                pointsOnlyTo("io", "model", "contract", "predict", "sim"),
                pointsOnlyTo("report", "model", "contract", "stats", "io"),
                pointsOnlyTo("config", "model", "io"),
                pointsOnlyTo(
                        "stage", "model", "contract", "settings", "stats", "predict", "sim", "io", "report", "bench"),
                pureKernels(),
                noSystemStreams(),
                stagesApart(),
                slices().matching(ROOT + "(*)..").should().beFreeOfCycles(),
                packagePrivateStageHelpers(),
                packagesAreNullMarked());
    }

    @ParameterizedTest
    @MethodSource("rules")
    void holds(ArchRule rule) {
        rule.check(CLASSES);
    }

    @Test
    void kernelsDrawNoUnseededRandomness() {
        noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .callMethod(Math.class, "random")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callConstructor(java.util.Random.class)
                .orShould()
                .callMethod(java.time.Instant.class, "now")
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(java.util.concurrent.ThreadLocalRandom.class)
                .check(CLASSES);
    }

    @Test
    void sourceFilesStayReadable() throws Exception {
        try (Stream<Path> files = Files.walk(Path.of(System.getProperty("stagesim.home", "."), "src/main/java"))) {
            Assertions.assertThat(files.filter(f -> f.toString().endsWith(".java")))
                    .allSatisfy(f -> Assertions.assertThat(Files.readAllLines(f))
                            .as("lines of %s", f)
                            .hasSizeLessThanOrEqualTo(700));
        }
    }

    /** Only the named packages may use the library. */
    private static ArchRule only(String library, String... packages) {
        return noClasses()
                .that()
                .resideOutsideOfPackages(packages)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(library)
                .allowEmptyShould(true);
    }

    /** The package depends on nothing of ours but itself and the named ones. */
    private static ArchRule pointsOnlyTo(String from, String... to) {
        String[] allowed = Stream.concat(
                        Stream.of(ROOT + from + ".."), Stream.of(to).map(p -> ROOT + p + ".."))
                .toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(ROOT + from + "..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("dev.stagesim..").and(not(resideInAnyPackage(allowed))))
                .allowEmptyShould(true);
    }

    private static ArchRule pureKernels() {
        return noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.nio.file..", "java.net..", "java.sql..", "org.slf4j..", "java.util.logging..")
                .orShould()
                .dependOnClassesThat(ioButNotUnchecked());
    }

    /** java.io, except what every class drags in: serialisable lambdas and exceptions. */
    private static DescribedPredicate<JavaClass> ioButNotUnchecked() {
        return resideInAnyPackage("java.io..")
                .and(not(simpleNameEndingWith("Serializable")))
                .as("java.io types");
    }

    private static ArchRule noSystemStreams() {
        return noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + "cli..")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .callMethod(System.class, "exit", int.class);
    }

    private static ArchRule stagesApart() {
        return slices().matching(ROOT + "stage.(*)..").should().notDependOnEachOther();
    }

    private static ArchRule packagePrivateStageHelpers() {
        return classes()
                .that()
                .resideInAPackage(ROOT + "stage.*..")
                .and()
                .areTopLevelClasses()
                .and()
                .haveSimpleNameNotEndingWith("Stage")
                .and()
                .haveSimpleNameNotEndingWith("Settings")
                .should()
                .notHaveModifier(JavaModifier.PUBLIC)
                .allowEmptyShould(true);
    }

    private static ArchRule packagesAreNullMarked() {
        return classes()
                .that()
                .haveSimpleName("package-info")
                .should()
                .beAnnotatedWith(org.jspecify.annotations.NullMarked.class);
    }
}
