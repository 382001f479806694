package dev.stagesim.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KernelRulesTest {
    private static final String FIXTURES = "dev.stagesim.architecture.fixture";

    @Test
    void findsOnlyDeterministicKernels() {
        String[] packages = KernelRules.PACKAGES.toArray(String[]::new);
        JavaClasses kernels = Product.imported().that(resideInAnyPackage(packages));
        assertThat(kernels.contain("dev.stagesim.feature.cluster.router.RouterTest"))
                .isFalse();
        assertThat(kernels.stream().map(type -> type.getPackageName()).distinct())
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

    @Test
    void findsEveryForbiddenCall() {
        JavaClasses fixture = new ClassFileImporter().importPackages(FIXTURES);
        String found = KernelRules.isDeterministic(FIXTURES)
                .evaluate(fixture)
                .getFailureReport()
                .toString();
        List<String> methods = fixture.stream()
                .flatMap(type -> type.getMethods().stream())
                .map(JavaMethod::getName)
                .filter(name -> !name.contains("$"))
                .toList();
        assertThat(methods).hasSizeGreaterThan(30).allSatisfy(name -> assertThat(found)
                .contains("ImpureKernel." + name + "("));
    }
}
