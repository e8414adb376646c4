package dev.onset.bench;

import dev.onset.rules.Judgement;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** All rules over a group with two hours behind it, each time one step later. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class JudgeBench {
    private Watching watching;

    @Setup
    public void setUp() throws IOException {
        watching = new Watching();
        for (int step = 0; step < Watching.STEPS; step++) {
            watching.watch(1, Watching.MOUNTS);
            watching.judge(); // as live: the rules saw every step
        }
    }

    @Setup(Level.Invocation)
    public void advance() {
        watching.watch(1, Watching.MOUNTS);
    }

    @Benchmark
    public List<Judgement> judge() {
        return watching.judge();
    }
}
