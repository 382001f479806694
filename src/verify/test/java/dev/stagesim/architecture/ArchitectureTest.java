package dev.stagesim.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.KeyVariants;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the direction of dependencies between packages, and the packages that may use each library. */
class ArchitectureTest {
    private static final String ROOT = "dev.stagesim.";
    private static final int MAX_COMPONENTS = 12;
    private static final JavaClasses CLASSES = Product.imported();

    static Stream<ArchRule> rules() {
        return Stream.of(
                boundRecordsNameTheirMembers(),
                oneClassOpensFiles(),
                slices().matching(ROOT + "feature.(*)..").should().notDependOnEachOther(),
                pureKernels(),
                noSystemStreams(),
                stagesApart(),
                slices().matching(ROOT + "(**)").should().beFreeOfCycles(),
                noClasses()
                        .that()
                        .resideInAPackage(ROOT + "feature.cluster.*..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage(ROOT + "feature.cluster"),
                packagePrivateStageHelpers(),
                settingsArePlainData(),
                spelledEqualityIsWhole(),
                smallRecords());
    }

    /** Packages of libraries, each with the packages of the product that use it. One pass over all dependencies checks them. */
    private static final Map<String, Set<String>> LIBRARY_USERS = Map.ofEntries(
            Map.entry("picocli", Set.of("cli")),
            Map.entry("com.typesafe.config", Set.of("config")),
            Map.entry("com.fasterxml.jackson.core", Set.of("io.json", "feature.pytorch.json")),
            Map.entry("com.fasterxml.jackson.databind", Set.of("io.json")),
            Map.entry("tech.tablesaw", Set.of("table")),
            Map.entry("org.yaml", Set.of("io.yaml")),
            Map.entry("com.knuddels", Set.of("io.tokenizer")),
            Map.entry("com.google.protobuf", Set.of("io.chakra")),
            Map.entry("java.net.http", Set.of("bench")),
            Map.entry("com.networknt", Set.of()),
            Map.entry("de.siegmar", Set.of()),
            Map.entry("org.tensorflow", Set.of()),
            Map.entry("org.bytedeco", Set.of()),
            Map.entry("com.sun.jna", Set.of()));

    @Test
    void usesLibrariesOnlyInTheirPackages() {
        Map<String, Set<String>> found = new HashMap<>();
        LIBRARY_USERS.keySet().forEach(library -> found.put(library, new TreeSet<>()));
        for (JavaClass user : CLASSES) {
            for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
                String target = dependency.getTargetClass().getPackageName();
                LIBRARY_USERS.forEach((library, users) -> {
                    if (isIn(target, library)) {
                        found.get(library).add(allowed(user, users).orElse(user.getName()));
                    }
                });
            }
        }
        Assertions.assertThat(found).isEqualTo(LIBRARY_USERS);
    }

    private static Optional<String> allowed(JavaClass user, Set<String> packages) {
        return packages.stream()
                .filter(name -> isIn(user.getPackageName(), ROOT + name))
                .findFirst();
    }

    private static boolean isIn(String name, String parent) {
        return name.startsWith(parent) && (name.length() == parent.length() || name.charAt(parent.length()) == '.');
    }

    @ParameterizedTest
    @MethodSource("rules")
    void satisfiesTheRule(ArchRule rule) {
        rule.check(CLASSES);
    }

    @Test
    void findsOnlyDeterministicKernels() {
        String[] packages = KernelRules.PACKAGES.toArray(String[]::new);
        JavaClasses kernels = CLASSES.that(resideInAnyPackage(packages));
        Assertions.assertThat(kernels.contain("dev.stagesim.feature.cluster.router.RouterTest"))
                .isFalse();
        Assertions.assertThat(
                        kernels.stream().map(type -> type.getPackageName()).distinct())
                .contains(
                        "dev.stagesim.feature.cluster",
                        "dev.stagesim.feature.cluster.autoscaler",
                        "dev.stagesim.feature.cluster.cache",
                        "dev.stagesim.feature.cluster.engine",
                        "dev.stagesim.feature.cluster.experts",
                        "dev.stagesim.feature.cluster.gateway",
                        "dev.stagesim.feature.cluster.instance",
                        "dev.stagesim.feature.cluster.report",
                        "dev.stagesim.feature.cluster.router",
                        "dev.stagesim.feature.cluster.router.scorer",
                        "dev.stagesim.feature.cluster.router.view",
                        "dev.stagesim.feature.cluster.transfer",
                        "dev.stagesim.sim.serving",
                        "dev.stagesim.sim.serving.cluster",
                        "dev.stagesim.sim.training");
        KernelRules.isDeterministic(packages).check(kernels);
    }

    /** A class that only suites or tests use has no effect on the product. */
    @Test
    void usesEveryClassInACommand() throws Exception {
        Reachability reachability = new Reachability(CLASSES);
        List<String> commands = new ArrayList<>(List.of(
                ROOT + "cli.Main",
                ROOT + "cli.SingleJar", // The main class of the release without a runtime.
                ROOT + "feature.spark.RemoteJob")); // Spark processes load it by name.
        Path verify = Product.HOME.resolve("src/verify");
        Product.modules().stream()
                .filter(module -> !module.equals(verify))
                .forEach(module -> commands.addAll(Product.services(module)));
        Set<String> used = reachability.from(commands);
        Assertions.assertThat(used).hasSizeGreaterThan(1_000).doesNotContain(ROOT + "verify.registry.SuiteRegistry");
        Set<String> unused = reachability.all(ROOT);
        unused.removeAll(used);
        unused.removeIf(name -> name.startsWith(ROOT + "verify."));
        Assertions.assertThat(unused).as("classes that no command uses").isEmpty();

        Set<String> suites = reachability.from(Product.services(verify));
        Set<String> idle = reachability.all(ROOT + "verify.");
        idle.removeAll(suites);
        Assertions.assertThat(idle).as("classes that no suite uses").isEmpty();
    }

    /** TensorFlow is optional and runs in separate processes. */
    @Test
    void keepsFrameworksOffTheClassPath() throws Exception {
        for (Path module : Product.modules()) {
            Assertions.assertThat(Files.readString(module.resolve("pom.xml")))
                    .contains("<dependencies>")
                    .doesNotContain("org.tensorflow", "org.bytedeco", "net.java.dev.jna");
        }
        Assertions.assertThatThrownBy(() -> Class.forName("org.tensorflow.TensorFlow"))
                .isInstanceOf(ClassNotFoundException.class);
    }

    @Test
    void limitsTheLengthOfSourceFiles() {
        Assertions.assertThat(Product.sources()).hasSizeGreaterThan(1_000).allSatisfy(f -> Assertions.assertThat(
                        Files.readAllLines(f))
                .as("lines of %s", f)
                .hasSizeLessThanOrEqualTo(700));
    }

    @Test
    void marksEveryPackageAsNullMarked() {
        Set<String> packages = CLASSES.stream()
                .filter(c -> !c.getSimpleName().equals("package-info"))
                .map(JavaClass::getPackageName)
                .collect(Collectors.toCollection(TreeSet::new));
        Assertions.assertThat(packages).hasSizeGreaterThan(20).allSatisfy(name -> {
            String info = name + ".package-info";
            Assertions.assertThat(CLASSES.contain(info))
                    .as("%s exists and has an annotation", info)
                    .isTrue();
            Assertions.assertThat(CLASSES.get(info).isAnnotatedWith(org.jspecify.annotations.NullMarked.class))
                    .as("%s is @NullMarked", info)
                    .isTrue();
        });
    }

    /** Records in file readers use Jackson's annotations. Values and kernels do not. */
    private static ArchRule boundRecordsNameTheirMembers() {
        return noClasses()
                .that()
                .resideOutsideOfPackages(
                        ROOT + "io..", ROOT + "pipeline..", ROOT + "bench..", ROOT + "stage..", ROOT + "feature..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.fasterxml.jackson.annotation..");
    }

    private static ArchRule pureKernels() {
        return noClasses()
                .that(KernelRules.withoutInputs())
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.nio.file..", "java.net..", "java.sql..", "org.slf4j..", "java.util.logging..")
                .orShould()
                .dependOnClassesThat(ioButNotUnchecked());
    }

    /** Returns java.io without the types that every class uses: serialisable lambdas and exceptions. */
    private static DescribedPredicate<JavaClass> ioButNotUnchecked() {
        return resideInAnyPackage("java.io..")
                .and(not(simpleNameEndingWith("Serializable")))
                .as("java.io types");
    }

    /** Other classes might block on pipes, or read endless devices. */
    private static ArchRule oneClassOpensFiles() {
        Set<String> reading = Set.of(
                "newInputStream",
                "newBufferedReader",
                "newByteChannel",
                "readString",
                "readAllBytes",
                "readAllLines",
                "lines");
        return noClasses()
                .that()
                .doNotHaveFullyQualifiedName(InputFile.class.getName())
                .and()
                .resideOutsideOfPackage(ROOT + "verify..")
                .should()
                .callMethodWhere(JavaCall.Predicates.target(DescribedPredicate.describe(
                        "opens a file",
                        (AccessTarget.CodeUnitCallTarget target) ->
                                target.getOwner().isEquivalentTo(Files.class) && reading.contains(target.getName()))))
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName(java.io.RandomAccessFile.class.getName())
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName(java.io.FileInputStream.class.getName())
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName(java.io.FileReader.class.getName());
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
        return slices().matching(ROOT + "stage.(*)..")
                .should()
                .notDependOnEachOther()
                .ignoreDependency(simpleNameEndingWith("Feature"), DescribedPredicate.alwaysTrue());
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
                .haveSimpleNameNotEndingWith("Feature")
                .and()
                .haveSimpleNameNotEndingWith("Settings")
                .should()
                .notHaveModifier(JavaModifier.PUBLIC);
    }

    /** Settings are data: records, enums, and interfaces with one record per kind. */
    private static ArchRule settingsArePlainData() {
        DescribedPredicate<JavaClass> settings = DescribedPredicate.or(
                simpleNameEndingWith("Settings"),
                resideInAnyPackage(
                        ROOT + "workload", ROOT + "serving.config", ROOT + "serving.workload", ROOT + "measure"));
        return classes()
                .that(settings.and(not(simpleNameEndingWith("package-info"))).as("settings"))
                .should(ArchCondition.from(DescribedPredicate.describe(
                        "be records, enums or interfaces with one record per kind",
                        type -> type.isRecord() || type.isEnum() || KeyVariants.isChoice(type.reflect()))));
    }

    /** An explicit equals method must include components that are added later. */
    private static ArchRule spelledEqualityIsWhole() {
        return classes()
                .that()
                .areAssignableTo(Record.class)
                .should(new ArchCondition<>("compare every component where they spell equality out") {
                    @Override
                    public void check(JavaClass its, ConditionEvents events) {
                        Set<String> compared = its.getMethod("equals", Object.class).getAccessesFromSelf().stream()
                                .filter(access -> access.getTargetOwner().equals(its))
                                .map(access -> access.getTarget().getName())
                                .collect(Collectors.toSet());
                        its.getFields().stream()
                                .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                                .map(JavaField::getName)
                                .filter(name -> !compared.isEmpty() && !compared.contains(name))
                                .forEach(name -> events.add(SimpleConditionEvent.violated(
                                        its, its.getName() + " does not compare " + name)));
                    }
                });
    }

    /**
     * A record has one subject. The two exceptions are documents that Jackson reads: it ignores unknown members of a
     * document with unwrapped records.
     */
    private static ArchRule smallRecords() {
        Set<String> documents = Set.of(ROOT + "pipeline.store.RunMeta", ROOT + "serving.CalibrationDocument");
        return classes()
                .that()
                .areAssignableTo(Record.class)
                .should(ArchCondition.from(DescribedPredicate.describe(
                        "have at most " + MAX_COMPONENTS + " components, or be a document that is read",
                        type -> documents.contains(type.getName())
                                != (type.isRecord() && components(type) <= MAX_COMPONENTS))));
    }

    private static long components(JavaClass type) {
        return type.getFields().stream()
                .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                .count();
    }
}
