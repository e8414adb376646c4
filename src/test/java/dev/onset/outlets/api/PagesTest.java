package dev.onset.outlets.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Long lists, page by page. */
class PagesTest {
    @Test
    void numbers_in_names_count_as_numbers() {
        assertThat(Stream.of("gpu-10", "gpu-9", "gpu", "gpu-09", "10.0.0.10:9567", "10.0.0.9:9567", "gpu-9a")
                        .sorted(Natural.ORDER))
                .containsExactly("10.0.0.9:9567", "10.0.0.10:9567", "gpu", "gpu-09", "gpu-9", "gpu-9a", "gpu-10");
    }

    @Test
    void the_order_of_names_is_one() {
        Random random = new Random(7);
        List<String> names = IntStream.range(0, 300)
                .mapToObj(i -> random.ints(random.nextInt(6), 0, 4)
                        .collect(StringBuilder::new, (name, c) -> name.append("0a1.".charAt(c)), StringBuilder::append)
                        .toString())
                .distinct()
                .toList();
        for (String a : names) {
            for (String b : names) {
                assertThat(Integer.signum(Natural.ORDER.compare(a, b)))
                        .as("%s and %s", a, b)
                        .isEqualTo(-Integer.signum(Natural.ORDER.compare(b, a)));
                assertThat(Natural.ORDER.compare(a, b) == 0).isEqualTo(a.equals(b));
            }
        }
        List<String> shuffled = new ArrayList<>(names);
        java.util.Collections.shuffle(shuffled, random);
        assertThat(shuffled.stream().sorted(Natural.ORDER).toList())
                .isEqualTo(names.stream().sorted(Natural.ORDER).toList());
    }

    @Test
    void every_entry_stands_on_one_page_also_when_others_go_meanwhile() {
        List<Scope> all = IntStream.range(0, 25)
                .mapToObj(i -> Scope.host("job|\n" + i % 3, "gpu-" + i))
                .sorted(Watched.BY_NAME)
                .toList();
        List<Scope> seen = new ArrayList<>();
        Page<Scope> page = page(all, null);
        seen.addAll(page.items());
        while (page.next() != null) {
            Scope last = page.items().get(page.items().size() - 1);
            page = page(all.stream().filter(scope -> !scope.equals(last)).toList(), page.next());
            seen.addAll(page.items());
        }
        assertThat(seen).isEqualTo(all);
    }

    @Test
    void the_next_page_of_a_made_up_name_is_refused() {
        for (String made : List.of("", "!", "YQ", "am9iCk5PTkUKeA")) {
            assertThatThrownBy(() -> Page.Name.read(made, ScopeKind.values()))
                    .as(made)
                    .isInstanceOf(Ask.BadInput.class)
                    .hasMessageContaining("the next of an earlier page");
        }
    }

    private static Page<Scope> page(List<Scope> all, @org.jspecify.annotations.Nullable String after) {
        return Page.of(
                all,
                scope -> true,
                scope -> new Page.Name(scope.group(), scope.kind(), scope.id()),
                4,
                after == null ? null : Page.Name.read(after, ScopeKind.values()));
    }
}
