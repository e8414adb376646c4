FROM eclipse-temurin:17-jdk AS build
WORKDIR /src
COPY .mvn .mvn
COPY mvnw pom.xml ./
RUN ./mvnw -q -B -DskipTests -Dspotless.check.skip dependency:go-offline
COPY src src
RUN ./mvnw -q -B -DskipTests -Dspotless.check.skip -Darchive.skip package \
 && java -Djarmode=tools -jar target/onset.jar extract --destination target/onset \
 && cksum <target/onset.jar >target/onset/unpacked-from

FROM eclipse-temurin:17-jre
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/onset onset
COPY bin /app/bin
COPY --from=build /src/target/onset /app/target/onset
# By the JVM that will use it: another one, even of the same version, would refuse it.
RUN /app/bin/archive || true
USER onset
WORKDIR /var/lib/onset
VOLUME /var/lib/onset
EXPOSE 8780
HEALTHCHECK --interval=15s --timeout=3s --start-period=30s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8780 && printf 'GET /-/healthy HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q ' 200' <&3"]
ENTRYPOINT ["/app/bin/onset"]
CMD ["serve"]
