package dev.onset;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.onset.rules.Rule;

/** Data flows one way through the packages, and what judges is pure. */
@AnalyzeClasses(packages = "dev.onset", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String SIGNALS = "dev.onset.signals..";
    private static final String SOURCES = "dev.onset.sources..";
    private static final String TIMELINE = "dev.onset.timeline..";
    private static final String RULES = "dev.onset.rules..";
    private static final String DIAGNOSES = "dev.onset.diagnoses..";
    private static final String OUTLETS = "dev.onset.outlets..";
    private static final String[] PURE = {SIGNALS, TIMELINE, RULES, DIAGNOSES};
    private static final String STORE = "dev.onset.diagnoses.store..";

    @ArchTest
    static final ArchRule signals_know_nothing_else = noClasses()
            .that()
            .resideInAPackage(SIGNALS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SOURCES, TIMELINE, RULES, DIAGNOSES, OUTLETS);

    @ArchTest
    static final ArchRule sources_know_signals_only = noClasses()
            .that()
            .resideInAPackage(SOURCES)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(TIMELINE, RULES, DIAGNOSES, OUTLETS);

    @ArchTest
    static final ArchRule the_timeline_knows_signals_only = noClasses()
            .that()
            .resideInAPackage(TIMELINE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SOURCES, RULES, DIAGNOSES, OUTLETS);

    @ArchTest
    static final ArchRule rules_know_signals_and_the_timeline = noClasses()
            .that()
            .resideInAPackage(RULES)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SOURCES, DIAGNOSES, OUTLETS);

    @ArchTest
    static final ArchRule diagnoses_do_not_know_who_tells_them = noClasses()
            .that()
            .resideInAPackage(DIAGNOSES)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SOURCES, OUTLETS);

    @ArchTest
    static final ArchRule outlets_do_not_measure = noClasses()
            .that()
            .resideInAPackage(OUTLETS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SOURCES, TIMELINE);

    @ArchTest
    static final ArchRule only_the_root_composes = noClasses()
            .that()
            .resideOutsideOfPackage("dev.onset")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.onset");

    @ArchTest
    static final ArchRule no_circles =
            slices().matching("dev.onset.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule what_judges_uses_java_and_itself_only = classes()
            .that(are(resideInAnyPackage(PURE)).and(not(resideInAPackage(STORE))))
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(PURE)
                    .and(not(resideInAPackage(STORE)))
                    .or(resideInAnyPackage("java..", "org.jspecify.annotations")));

    @ArchTest
    static final ArchRule what_judges_has_no_files_no_network_no_logger_no_dice = noClasses()
            .that(are(resideInAnyPackage(PURE)).and(not(resideInAPackage(STORE))))
            .should()
            .dependOnClassesThat(
                    resideInAnyPackage("java.net..", "java.sql..", "java.util.logging..", "java.nio.file..")
                            .or(resideInAPackage("java.io").and(not(simpleName("Serializable"))))
                            .or(simpleName("Random"))
                            .or(simpleName("ThreadLocalRandom"))
                            .or(simpleName("UUID"))
                            .or(simpleName("Clock"))
                            .or(simpleName("Thread")));

    @ArchTest
    static final ArchRule what_judges_does_not_look_at_the_clock = noClasses()
            .that(are(resideInAnyPackage(PURE)).and(not(resideInAPackage(STORE))))
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(java.time.Instant.class, "now")
            .orShould()
            .callMethod(Math.class, "random")
            .orShould()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err");

    @ArchTest
    static final ArchRule a_rule_is_reached_through_the_book_only = classes()
            .that()
            .implement(Rule.class)
            .should()
            .bePackagePrivate()
            .andShould()
            .haveModifier(com.tngtech.archunit.core.domain.JavaModifier.FINAL);
}
