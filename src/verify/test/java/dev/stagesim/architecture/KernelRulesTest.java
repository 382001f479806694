package dev.stagesim.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KernelRulesTest {
    private static final String FIXTURES = "dev.stagesim.architecture.fixture";

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
