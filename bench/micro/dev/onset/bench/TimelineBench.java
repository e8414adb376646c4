package dev.onset.bench;

import dev.onset.signals.Scrape;
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

/** The answers of a group are placed and their step is closed, the window being full. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TimelineBench {
    private Watching watching;
    private List<Scrape> scrapes;

    @Setup
    public void setUp() throws IOException {
        watching = new Watching();
        watching.watch(Watching.STEPS, Watching.MOUNTS);
    }

    @Setup(Level.Invocation)
    public void read() {
        scrapes = watching.read(Watching.MOUNTS);
    }

    @Benchmark
    public void place() {
        watching.place(scrapes);
    }
}
