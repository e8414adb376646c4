package dev.onset.outlets.api;

import dev.onset.diagnoses.Mark;
import dev.onset.diagnoses.Marks;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Marks that are forgotten with the process. */
final class SampleMarks implements Marks {
    private final Map<String, List<Mark>> marks = new ConcurrentHashMap<>();

    @Override
    public void add(String diagnosis, Mark mark) {
        marks.computeIfAbsent(diagnosis, none -> new CopyOnWriteArrayList<>()).add(mark);
    }

    @Override
    public List<Mark> list(String diagnosis) {
        return marks.getOrDefault(diagnosis, List.of());
    }

    @Override
    public Map<String, Mark> silences(long nowMillis) {
        Map<String, Mark> silences = new TreeMap<>();
        marks.forEach((diagnosis, all) -> all.stream()
                .filter(mark -> mark.untilMillis() != null)
                .reduce((earlier, later) -> later)
                .filter(mark -> Objects.requireNonNull(mark.untilMillis()) > nowMillis)
                .ifPresent(mark -> silences.put(diagnosis, mark)));
        return silences;
    }
}
