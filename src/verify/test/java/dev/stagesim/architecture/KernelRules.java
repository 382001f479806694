package dev.stagesim.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TimeZone;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import java.util.stream.BaseStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rules for simulation code. Results depend only on the inputs, so equal inputs give equal bytes in every process. */
final class KernelRules {
    private static final String ROOT = "dev.stagesim.";

    /** Packages with simulations and their shared values. */
    static final List<String> PACKAGES = List.of(
            ROOT + "model..",
            ROOT + "sim..",
            ROOT + "predict..",
            ROOT + "stats..",
            ROOT + "feature.cluster..",
            ROOT + "feature.pytorch.convert..",
            ROOT + "feature.pytorch.link..",
            ROOT + "feature.pytorch.trace..",
            ROOT + "feature.suite.graph..",
            ROOT + "feature.suite.measured..");

    /** Classes of the cluster simulator that read its inputs or write its results. */
    private static final String EDGE =
            "(BaselineComparison|ClusterOracle|ClusterSimSettings|ClusterStage|ClusterWriter|RecordedLoad|\\w+Report)(\\$.*)?";

    /** Work that is split among threads and combined in a fixed order, which changes no bit. */
    private static final Set<String> PARALLEL = Set.of(
            ROOT + "predict.forest.Forest", // Trees, in the order of their seeds.
            ROOT + "predict.TableTimes", // Sums of integers.
            ROOT + "predict.linear.LinearGridSearch", // Scores, in the order of the candidates.
            ROOT + "feature.cluster.engine.IndependentInstances"); // Sums per instance.

    private static final Set<Class<?>> UNORDERED = Set.of(
            HashMap.class,
            HashSet.class,
            Hashtable.class,
            IdentityHashMap.class,
            WeakHashMap.class,
            ConcurrentHashMap.class);

    private KernelRules() {}

    /** Code of the kernels reads no files, network or log. */
    static DescribedPredicate<JavaClass> withoutInputs() {
        return DescribedPredicate.describe(
                "kernels",
                type -> resideInAnyPackage(PACKAGES.toArray(String[]::new)).test(type)
                        && !(resideInAnyPackage(ROOT + "feature.cluster..").test(type)
                                && type.getName()
                                        .substring(type.getPackageName().length() + 1)
                                        .matches(EDGE)));
    }

    /** No kernel uses the types without an order, nor calls what depends on the process or the machine. */
    static ArchRule isDeterministic(String... packages) {
        return ArchRuleDefinition.classes()
                .that()
                .resideInAnyPackage(packages)
                .should(new ArchCondition<>("depend on their inputs alone") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        Stream<String> types = type.getDirectDependenciesFromSelf().stream()
                                .filter(dependency ->
                                        UNORDERED.stream().anyMatch(dependency.getTargetClass()::isEquivalentTo))
                                .map(dependency -> dependency.getDescription());
                        Stream<String> calls = type.getAccessesFromSelf().stream()
                                .filter(access -> access.getTarget() instanceof CodeUnitAccessTarget)
                                .filter(access -> isForbidden(access, (CodeUnitAccessTarget) access.getTarget()))
                                .map(JavaAccess::getDescription);
                        Stream.concat(types, calls)
                                .forEach(text -> events.add(SimpleConditionEvent.violated(type, text)));
                    }
                });
    }

    private static boolean isForbidden(JavaAccess<?> access, CodeUnitAccessTarget target) {
        if (access.getOrigin().getName().equals("hashCode")) {
            return false; // Its order has no effect without the forbidden collections.
        }
        JavaClass owner = target.getOwner();
        String name = target.getName();
        int count = target.getRawParameterTypes().size();
        String call = owner.getName() + "." + name;
        return isUnordered(owner, name, count)
                || isOfTheProcess(owner, name, target)
                || isRandom(owner, name, count)
                || (isParallel(owner, name)
                        && !PARALLEL.contains(access.getOriginOwner().getName().replaceFirst("\\$.*", "")))
                || (call.startsWith("java.time.") && (name.equals("now") || call.startsWith("java.time.Clock.system")));
    }

    /** Returns true for collections with an order that depends on hashes or differs between processes. */
    private static boolean isUnordered(JavaClass owner, String name, int count) {
        if (owner.isEquivalentTo(Set.class)) {
            return name.equals("copyOf") || (name.equals("of") && count > 1);
        }
        if (owner.isEquivalentTo(Map.class)) {
            return name.equals("copyOf") || name.equals("ofEntries") || (name.equals("of") && count > 2);
        }
        return owner.isEquivalentTo(Collectors.class)
                && switch (name) {
                    case "toSet", "toUnmodifiableSet", "toUnmodifiableMap", "toConcurrentMap", "groupingByConcurrent" ->
                        true;
                    case "toMap" -> count < 4;
                    case "groupingBy" -> count < 3;
                    default -> false;
                };
    }

    private static boolean isOfTheProcess(JavaClass owner, String name, CodeUnitAccessTarget target) {
        List<JavaClass> parameters = target.getRawParameterTypes();
        if (owner.isEquivalentTo(String.class)) {
            return (List.of("toLowerCase", "toUpperCase").contains(name) && parameters.isEmpty())
                    || (name.equals("format") && parameters.get(0).isEquivalentTo(String.class))
                    || name.equals("formatted");
        }
        boolean isIdentity = name.equals("hashCode")
                && (owner.isEquivalentTo(Object.class) || owner.isEquivalentTo(Enum.class) || owner.isEnum());
        return isIdentity
                || (owner.isEquivalentTo(Objects.class) && name.startsWith("hash"))
                || (owner.isEquivalentTo(System.class)
                        && List.of("identityHashCode", "getProperty", "getenv", "nanoTime", "currentTimeMillis")
                                .contains(name))
                || ((owner.isEquivalentTo(Locale.class) || owner.isEquivalentTo(TimeZone.class))
                        && name.equals("getDefault"))
                || (owner.getName().equals("java.time.ZoneId") && name.equals("systemDefault"));
    }

    private static boolean isRandom(JavaClass owner, String name, int count) {
        boolean isUnseeded = name.equals("<init>") && count == 0 && owner.isAssignableTo(RandomGenerator.class);
        return isUnseeded
                || (owner.isEquivalentTo(SplittableRandom.class) && name.equals("<init>") && count == 0)
                || (owner.isEquivalentTo(Math.class) && name.equals("random"))
                || (owner.isEquivalentTo(Collections.class) && name.equals("shuffle") && count == 1)
                || (owner.isEquivalentTo(UUID.class) && name.equals("randomUUID"))
                || owner.isEquivalentTo(ThreadLocalRandom.class);
    }

    private static boolean isParallel(JavaClass owner, String name) {
        return (owner.isAssignableTo(BaseStream.class) && name.equals("parallel"))
                || (owner.isAssignableTo(Collection.class) && name.equals("parallelStream"))
                || (owner.isEquivalentTo(Arrays.class) && name.startsWith("parallel"));
    }
}
