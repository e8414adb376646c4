package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/** Calls of the application end in an error after all retries. */
final class ClientIoErrors implements Rule {
    private static final int RECENT = 8;
    private static final int TWICE = 2;
    private static final int BEFORE = 40;

    private static final RuleCard CARD = new RuleCard(
            "client-io-errors",
            new Text("The application gets I/O errors", "应用收到 IO 错误"),
            ScopeKind.MOUNT,
            Severity.S1,
            RuleCard.Family.SAFETY,
            List.of(Signal.IO_ERRORS));

    /** What failed before the application's calls did. */
    private enum Cause {
        STORE(
                "object-store-throttling-errors",
                new Text("Requests to the object store failed before.", "此前对象存储请求出错。"),
                new Text("Repair the object store first.", "先修复对象存储。")),
        METADATA(
                "",
                new Text("Redis did not answer before.", "此前 Redis 没有应答。"),
                new Text("Repair Redis first.", "先修复 Redis。")),
        NONE(
                "",
                new Text(
                        "Neither the store nor Redis failed: a block may be missing, or a disk, quota or limit be full.",
                        "对象存储与 Redis 均无异常：可能缺块，或磁盘、配额、限额已满。"),
                new Text("See which errors they are, and whether blocks are missing.", "查明是哪种错误、是否缺块。"));

        private final String subCause;
        private final Text text;
        private final Text repair;

        Cause(String subCause, Text text, Text repair) {
            this.subCause = subCause;
            this.text = text;
            this.repair = repair;
        }
    }

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public Verdict judge(Window window) {
        return new Case(window).verdict();
    }

    /** One mount, judged once. */
    private static final class Case {
        private final Window window;
        private final Checks checks = new Checks();
        private final MountFacts facts;
        private final Series errors;
        private final double step;
        private final int from;

        Case(Window window) {
            this.window = window;
            facts = new MountFacts(window);
            errors = window.series(Signal.IO_ERRORS);
            step = window.axis().stepMillis() / 1e3;
            from = window.size() - window.axis().steps(RECENT);
        }

        Verdict verdict() {
            int steps = 0;
            int first = window.size();
            for (int i = Math.max(0, from); i < window.size(); i++) {
                // Whole events, with a little room for rates that are not.
                if (errors.at(i) * step > 0.99) {
                    steps++;
                    first = Math.min(first, i);
                }
            }
            boolean twice = checks.add(
                    new Text("calls ended in an error in two of eight steps", "八步中有两步出现调用错误"),
                    steps + "",
                    "≥ " + TWICE,
                    steps >= TWICE);
            return twice ? new Verdict.Found(finding(first)) : checks.quiet();
        }

        private Cause cause(int first) {
            int before = Math.max(0, first - window.axis().steps(BEFORE));
            if (window.series(Signal.OBJECT_ERRORS).max(before, first + 1) > 0) {
                return Cause.STORE;
            }
            return window.series(Signal.RTT_LOST).max(before, first + 1) > 0 ? Cause.METADATA : Cause.NONE;
        }

        private Finding finding(int first) {
            Cause cause = cause(first);
            double total = errors.mean(from, window.size()) * window.axis().steps(RECENT) * step;
            return new Finding(
                    Severity.S1,
                    Confidence.CONFIRMED,
                    Text.same(""),
                    format(
                            "%1$s calls of the application ended in an I/O error within two minutes, after all retries.",
                            "两分钟内应用有 %1$s 次调用在重试后仍以 IO 错误结束。", Say.number(Math.rint(total))),
                    cause.text,
                    List.of(new Onset(
                            errors.scope(),
                            Signal.IO_ERRORS,
                            "",
                            Math.min(errors.fromMillis(first), errors.toMillis(first)),
                            errors.toMillis(first))),
                    null,
                    List.of(
                            Evidence.rise(errors, first, window.size()),
                            Evidence.rise(window.series(Signal.OBJECT_ERRORS), first, window.size()),
                            Evidence.rise(window.series(Signal.GET_LATENCY), first, window.size()),
                            Evidence.rise(window.series(Signal.RTT_MAX), first, window.size()),
                            Evidence.rise(window.series(Signal.STAGING_BYTES), first, window.size())),
                    ruledOut(first),
                    List.of(new Reason(
                            new Text("which calls failed with which errno", "哪些调用失败、errno 是什么"),
                            new Text(
                                    "see juicefs_fuse_ops_io_errors by errno, and the client's log",
                                    "请按 errno 查看 juicefs_fuse_ops_io_errors 及客户端日志"))),
                    cause.subCause.isEmpty() ? List.of() : List.of(cause.subCause),
                    remedies(cause),
                    List.of(),
                    checks.all());
        }

        private List<Reason> ruledOut(int first) {
            List<Reason> ruledOut = new ArrayList<>();
            ruledOut.add(new Reason(
                    new Text("names that do not exist, killed calls", "文件不存在、调用被中断"),
                    new Text(
                            "ENOENT, EEXIST, EACCES, EINTR and the like are not counted",
                            "不计 ENOENT、EEXIST、EACCES、EINTR 等")));
            int before = Math.max(0, first - window.axis().steps(BEFORE));
            if (window.series(Signal.OBJECT_ERRORS).max(before, first + 1) == 0) {
                ruledOut.add(new Reason(
                        new Text("failing object requests", "对象请求出错重试"), new Text("no request failed", "没有失败请求")));
            }
            if (window.series(Signal.RTT_LOST).max(before, first + 1) == 0) {
                ruledOut.add(new Reason(
                        new Text("a Redis that does not answer", "Redis 没有应答"),
                        new Text("every ping was answered", "每次 ping 都有应答")));
            }
            return ruledOut;
        }

        private List<Remedy> remedies(Cause cause) {
            Text verify = new Text("no further error for an hour", "一小时内不再出现错误");
            String fsck = "juicefs fsck " + facts.metaUrl();
            return List.of(
                    new Remedy(
                            Remedy.Kind.DO,
                            cause.repair,
                            cause == Cause.NONE ? fsck : "",
                            new Text("calls succeed again", "调用恢复成功"),
                            cause == Cause.NONE
                                    ? new Text("lists every object: load on the store", "会列举全部对象，给对象存储加压")
                                    : new Text("none for the job", "对任务没有影响"),
                            verify),
                    new Remedy(
                            Remedy.Kind.DO,
                            new Text(
                                    "See whether another node still holds staged blocks of these files.",
                                    "检查其他节点是否仍暂存着这些文件的块。"),
                            "",
                            new Text("they become readable when uploaded", "上传后即可读取"),
                            new Text("none", "无"),
                            verify),
                    Remedy.doNot(new Text(
                            "Do not just raise --io-retries or the timeouts: errors turn into hangs.",
                            "不要只调大 --io-retries 或超时：错误会变成卡死。")),
                    Remedy.doNot(new Text(
                            "Do not alert on the sum of all errno: a lookup of a missing name counts there.",
                            "不要对全部 errno 之和告警：查找不存在的文件名也计入其中。")));
        }
    }
}
